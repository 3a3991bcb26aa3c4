//! `llmpatch_json::apply` for a WebAssembly host, through one buffer in the module's memory: the
//! host makes room, writes a request there, and reads the reply there.
//!
//! `llmpatch.js` is that host.

use std::sync::{Mutex, MutexGuard, PoisonError};

static BUFFER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn buffer() -> MutexGuard<'static, Vec<u8>> {
    BUFFER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a request of so many bytes, and returns where it goes.
#[allow(unsafe_code, reason = "the host finds it by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *mut u8 {
    let mut buffer = buffer();
    *buffer = vec![0; length];
    buffer.as_mut_ptr()
}

/// Puts the reply in the place of the request, and returns its length.
#[allow(unsafe_code, reason = "the host finds it by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn apply() -> usize {
    let mut buffer = buffer();
    *buffer = llmpatch_json::apply(&buffer).into_bytes();
    buffer.len()
}

/// Returns where the reply is.
#[allow(unsafe_code, reason = "the host finds it by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn reply() -> *const u8 {
    buffer().as_ptr()
}
