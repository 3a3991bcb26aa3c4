//! Linux, macOS and their kin.

use std::borrow::Cow;
use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, IsTerminal as _, Read as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::thread;

use bstr::{BString, ByteSlice as _};
use rustix::fs::{Access, Mode, OFlags, access};
use rustix::io::Errno;
use signal_hook::{consts, flag, low_level};

pub(crate) use std::os::fd::{AsFd as AsStream, OwnedFd as OwnedStream};
pub(crate) use std::os::unix::ffi::{OsStrExt, OsStringExt};
pub(crate) use std::os::unix::fs::{FileExt, symlink};

use super::Identity;

/// Whether git writes a letter and its accent as one character where it isn't told otherwise.
pub(crate) const COMPOSES_NAMES: bool = cfg!(target_vendor = "apple");

/// Whether git ends the lines of a text with CR LF where `core.eol` doesn't say how.
pub(crate) const ENDS_LINES_IN_CRLF: bool = false;

/// Whether git makes symbolic links where `core.symlinks` doesn't say it.
pub(crate) const MAKES_LINKS: bool = true;

/// Whether a git on the PATH shows by its place where its configuration is.
pub(crate) const HAS_FIXED_PREFIXES: bool = cfg!(target_os = "linux");

/// Whether a directory can be locked.
pub(crate) const LOCKS_DIRECTORIES: bool = true;

/// Whether a lock keeps others from reading the file, so that it has to lie where nothing is
/// renamed.
pub(crate) const LOCKS_ARE_STRICT: bool = false;

/// Returns the user who runs us.
pub(crate) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Returns the name of a user as commands take it: `#1001` where the system knows none.
pub(crate) fn user_name(user: u32) -> String {
    let asked = Command::new("id").args(["-nu", &user.to_string()]).output();
    let said = asked.ok().filter(|said| said.status.success());
    let name = said.and_then(|said| String::from_utf8(said.stdout).ok());
    name.map_or_else(|| format!("#{user}"), |name| name.trim_end().to_owned())
}

/// Returns whose a file is.
pub(crate) fn owner(file: &File) -> io::Result<u32> {
    Ok(file.metadata()?.uid())
}

/// Returns how many names a file has.
pub(crate) fn links(file: &File) -> io::Result<u64> {
    Ok(file.metadata()?.nlink())
}

/// Returns what an open file is.
pub(crate) fn identity(file: &File) -> io::Result<Identity> {
    Ok(identified(&file.metadata()?))
}

/// Returns what the file at a path is; a link isn't followed.
pub(crate) fn identity_at(path: &Path) -> io::Result<Identity> {
    Ok(identified(&path.symlink_metadata()?))
}

fn identified(seen: &Metadata) -> Identity {
    Identity {
        number: (seen.dev(), seen.ino()),
        size: seen.size(),
        modified: (seen.mtime(), seen.mtime_nsec()),
    }
}

/// Has no link followed, and nothing waited for that is no file.
pub(crate) fn refusing_links(options: &mut OpenOptions) -> &mut OpenOptions {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    options.custom_flags(flags.bits().cast_signed())
}

/// Sets the permission bits of a file that is made; the umask takes its share.
pub(crate) fn with_bits(options: &mut OpenOptions, bits: u32) -> &mut OpenOptions {
    options.mode(bits)
}

/// Makes a directory, and those above it, if they aren't there; with these permission bits.
pub(crate) fn make_directories(path: &Path, bits: u32) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(bits).create(path)
}

/// Returns permissions, if there are any with these bits.
pub(crate) fn permissions(bits: u32) -> Option<Permissions> {
    Some(Permissions::from_mode(bits))
}

/// Lets others have these permission bits of what is made. Returns the umask before.
#[allow(
    clippy::useless_conversion,
    reason = "the width of a mode differs between platforms"
)]
pub(crate) fn open_umask(bits: u16) -> u32 {
    let before = rustix::process::umask(Mode::empty());
    rustix::process::umask(before.difference(Mode::from_raw_mode(bits.into())));
    before.bits().into()
}

/// Sets the umask.
#[allow(
    clippy::cast_possible_truncation,
    clippy::unnecessary_cast,
    reason = "it was one before"
)]
pub(crate) fn set_umask(before: u32) {
    rustix::process::umask(Mode::from_raw_mode(before as _));
}

/// Returns whether there is a file that may be run.
pub(crate) fn may_run(path: &Path) -> io::Result<bool> {
    match access(path, Access::EXEC_OK) {
        Ok(()) => Ok(true),
        Err(error @ (Errno::IO | Errno::NOMEM)) => Err(error.into()),
        Err(_) => Ok(false),
    }
}

/// Links a program under another name, in the place of no file.
pub(crate) fn link_program(program: &Path, link: &Path) -> io::Result<()> {
    symlink(program, link)
}

/// Returns the name of this machine, for people.
pub(crate) fn host() -> String {
    let system = rustix::system::uname();
    system.nodename().to_string_lossy().into_owned()
}

/// Returns whether only what can be written to can be locked here.
pub(crate) fn wants_writable(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::BADF.raw_os_error())
}

/// Returns whether another's lock keeps us from reading.
pub(crate) fn is_kept_locked(_: &io::Error) -> bool {
    false
}

/// Returns whether another program has a file open in a way that lets nobody else have it.
pub(crate) fn is_in_use(_: &io::Error) -> bool {
    false
}

/// Returns whether any program has a file open that is lent to a child: here a lock is lent.
pub(crate) fn is_open(_: &Path) -> bool {
    false
}

/// Returns whether the file system has run out of locks.
pub(crate) fn has_no_locks(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::NOLCK.raw_os_error())
}

/// Returns whether something wasn't opened because a link is there, or on the way.
pub(crate) fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
}

/// Returns whether what wasn't opened is no file, such as a socket.
pub(crate) fn is_no_file(error: &io::Error) -> bool {
    is_link(error) || error.raw_os_error() == Some(Errno::NXIO.raw_os_error())
}

/// The keys that end what is typed.
pub(crate) const END_OF_INPUT: &str = "Ctrl-D";

/// Whether a backslash is between the names of a path.
pub(crate) const HAS_BACKSLASHES: bool = false;

/// Returns a path, or a pathspec, as git and responses write it.
pub(crate) fn slashed(path: &[u8]) -> Cow<'_, [u8]> {
    path.into()
}

/// Returns where a path leads, links followed.
pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// Returns where an absolute path of a response leads, links followed, if anything is there.
pub(crate) fn real(path: &[u8]) -> Option<BString> {
    let real = Path::new(std::ffi::OsStr::from_bytes(path)).canonicalize();
    Some(real.ok()?.into_os_string().into_vec().into())
}

/// Returns the user's own directory, if the environment names it.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from)
}

/// Returns whether the terminal is ours: a job in the background that writes may be stopped for it.
pub(crate) fn is_in_front() -> bool {
    let ours = rustix::process::getpgrp();
    rustix::termios::tcgetpgrp(io::stderr()).is_ok_and(|front| front == ours)
}

/// Returns whether a stream is a terminal.
pub(crate) fn is_terminal(stream: &impl AsStream) -> bool {
    stream.as_fd().is_terminal()
}

/// Has the terminal obey escape sequences, if it doesn't anyway. Returns whether it does.
pub(crate) fn obeys_escapes() -> bool {
    true
}

/// Interrupt, terminate, hang up.
pub(crate) const SIGNALS: [i32; 3] = [consts::SIGINT, consts::SIGTERM, consts::SIGHUP];

/// The signals that were ignored when this process was started, one a bit. Nothing here ever
/// ignores one.
static IGNORED: OnceLock<u64> = OnceLock::new();

/// Has another thread do what signals ask for: hardly anything is allowed where one arrives. One
/// that was ignored when we were started stays ignored.
pub(crate) fn on_signals(came: &[Arc<AtomicBool>; 3], act: fn()) -> io::Result<()> {
    let (mut woken, wake) = UnixStream::pair()?;
    let watch = move || {
        while woken.read_exact(&mut [0]).is_ok() {
            act();
        }
    };
    thread::Builder::new().spawn(watch)?;
    for (signal, came) in SIGNALS.iter().zip(came) {
        if !is_ignored(*signal) {
            flag::register(*signal, Arc::clone(came))?;
            low_level::pipe::register(*signal, wake.try_clone()?)?;
        }
    }
    Ok(())
}

/// Dies of a signal, as if it had never been held back.
pub(crate) fn die_of(signal: i32) {
    let _ = low_level::emulate_default_handler(signal);
}

/// Makes the system keep how children ended until they are waited for. It doesn't where we were
/// started by a program that ignores what becomes of its own.
pub(crate) fn wait_for_children() {
    catch_ignored(&[consts::SIGCHLD]);
}

/// Lets what is started from here on heed the signals that we were started to ignore: git starts
/// hooks so, also in `nohup`.
pub(crate) fn let_children_heed_signals() {
    catch_ignored(&SIGNALS);
    catch_ignored(&[consts::SIGQUIT]);
}

/// Catches signals, where they are ignored, and does nothing: children don't inherit that.
fn catch_ignored(signals: &[i32]) {
    for signal in signals.iter().filter(|signal| is_ignored(**signal)) {
        let _ = flag::register(*signal, Arc::default());
    }
}

/// Returns whether a signal was ignored when this process was started.
fn is_ignored(signal: i32) -> bool {
    IGNORED.get_or_init(|| ignored().unwrap_or_default()) >> (signal - 1) & 1 == 1
}

fn ignored() -> Option<u64> {
    // A file that says that it is empty is read piece by piece unless there is room for all of it.
    let mut status = Vec::with_capacity(4 << 10);
    File::open("/proc/self/status")
        .ok()?
        .take(1 << 20)
        .read_to_end(&mut status)
        .ok()?;
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix(b"SigIgn:"))?;
    u64::from_str_radix(mask.trim_ascii().to_str().ok()?, 16).ok()
}
