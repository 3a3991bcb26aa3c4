//! Windows.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, IsTerminal as _, Read as _};
use std::os::windows::fs::{FileExt as _, OpenOptionsExt as _, symlink_dir, symlink_file};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use bstr::{BString, ByteSlice as _};
use winapi_util::file::{Information, information};

pub(crate) use std::os::windows::io::{AsHandle as AsStream, OwnedHandle as OwnedStream};

use super::{Identity, prepend_path};

/// Names as bytes: those of UTF-8, in which whatever isn't text (half a pair of surrogates) has
/// bytes that no UTF-8 has.
pub(crate) trait OsStrExt {
    /// Returns what has these bytes. There is nothing for what isn't UTF-8, and no file has what is
    /// returned then.
    fn from_bytes(bytes: &[u8]) -> &Self;
    /// Returns the bytes.
    fn as_bytes(&self) -> &[u8];
}

impl OsStrExt for OsStr {
    fn from_bytes(bytes: &[u8]) -> &Self {
        OsStr::new(bytes.to_str().unwrap_or("\0"))
    }

    fn as_bytes(&self) -> &[u8] {
        self.as_encoded_bytes()
    }
}

/// The same for what is owned.
pub(crate) trait OsStringExt {
    /// Returns what has these bytes, as [`OsStrExt::from_bytes`].
    fn from_vec(bytes: Vec<u8>) -> Self;
    /// Returns the bytes.
    fn into_vec(self) -> Vec<u8>;
}

impl OsStringExt for OsString {
    fn from_vec(bytes: Vec<u8>) -> Self {
        OsStr::from_bytes(&bytes).to_owned()
    }

    fn into_vec(self) -> Vec<u8> {
        self.into_encoded_bytes()
    }
}

/// Reading at a place.
pub(crate) trait FileExt {
    /// Reads once, at an offset.
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize>;

    /// Reads all of these bytes, at an offset.
    fn read_exact_at(&self, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.read_at(bytes, at)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => {
                    bytes = &mut bytes[read..];
                    at += read as u64;
                }
            }
        }
        Ok(())
    }
}

impl FileExt for File {
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        self.seek_read(bytes, at)
    }
}

/// Whether git writes a letter and its accent as one character where it isn't told otherwise.
pub(crate) const COMPOSES_NAMES: bool = false;

/// Whether git ends the lines of a text with CR LF where `core.eol` doesn't say how.
pub(crate) const ENDS_LINES_IN_CRLF: bool = true;

/// Whether git makes symbolic links where `core.symlinks` doesn't say it.
pub(crate) const MAKES_LINKS: bool = false;

/// Whether a git on the PATH shows by its place where its configuration is.
pub(crate) const HAS_FIXED_PREFIXES: bool = false;

/// Whether a directory can be locked.
pub(crate) const LOCKS_DIRECTORIES: bool = false;

/// Whether a lock keeps others from reading the file, so that it has to lie where nothing is
/// renamed.
pub(crate) const LOCKS_ARE_STRICT: bool = true;

/// Returns the user who runs us: the same number for all.
pub(crate) fn user() -> u32 {
    0
}

/// Returns the name of a user: the same for all.
pub(crate) fn user_name(user: u32) -> String {
    format!("#{user}")
}

/// Returns whose a file is: the same number for all.
pub(crate) fn owner(_: &File) -> io::Result<u32> {
    Ok(0)
}

/// Returns how many names a file has.
pub(crate) fn links(file: &File) -> io::Result<u64> {
    Ok(information(file)?.number_of_links())
}

/// Returns what an open file is.
pub(crate) fn identity(file: &File) -> io::Result<Identity> {
    Ok(identified(&information(file)?))
}

/// Returns what the file at a path is; a link isn't followed.
pub(crate) fn identity_at(path: &Path) -> io::Result<Identity> {
    const READ_ATTRIBUTES: u32 = 0x80;
    const BACKUP_SEMANTICS: u32 = 0x0200_0000;
    let mut options = OpenOptions::new();
    options.access_mode(READ_ATTRIBUTES);
    options.custom_flags(BACKUP_SEMANTICS | OPEN_REPARSE_POINT);
    identity(&options.open(path)?)
}

fn identified(seen: &Information) -> Identity {
    let (seconds, nanoseconds) = unix_time(seen.last_write_time());
    Identity {
        number: (seen.volume_serial_number(), seen.file_index()),
        size: seen.file_size(),
        modified: (seconds, nanoseconds.into()),
    }
}

/// Returns seconds and nanoseconds since 1970 of a time that is in steps of 100 ns since 1601.
pub(crate) fn unix_time(time: Option<u64>) -> (i64, u32) {
    const STEPS: u64 = 10_000_000;
    const SECONDS_TO_1970: i64 = 11_644_473_600;
    let time = time.unwrap_or_default();
    let seconds = i64::try_from(time / STEPS).unwrap_or_default() - SECONDS_TO_1970;
    (
        seconds,
        u32::try_from(time % STEPS * 100).unwrap_or_default(),
    )
}

/// Opens a link, not what it leads to.
const OPEN_REPARSE_POINT: u32 = 0x0020_0000;

/// Has no link followed: what is opened then is no file.
pub(crate) fn refusing_links(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(OPEN_REPARSE_POINT)
}

/// Does nothing: a file has no permission bits.
pub(crate) fn with_bits(options: &mut OpenOptions, _: u32) -> &mut OpenOptions {
    options
}

/// Makes a directory, and those above it, if they aren't there.
pub(crate) fn make_directories(path: &Path, _: u32) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Returns permissions, if there are any with these bits.
pub(crate) fn permissions(_: u32) -> Option<Permissions> {
    None
}

/// Does nothing: there is no umask.
pub(crate) fn open_umask(_: u16) -> u32 {
    0
}

/// Does nothing.
pub(crate) fn set_umask(_: u32) {}

/// Returns whether there is a file that may be run, by its name or by its name and `.exe`.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub(crate) fn may_run(path: &Path) -> io::Result<bool> {
    let mut program = path.as_os_str().to_owned();
    program.push(".exe");
    Ok(path.is_file() || Path::new(&program).is_file())
}

/// Makes a symbolic link, if what it is to lead to is there.
pub(crate) fn symlink(to: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
    let to = to.as_ref();
    if to.is_dir() {
        symlink_dir(to, link)
    } else if to.exists() {
        symlink_file(to, link)
    } else {
        Ok(())
    }
}

/// Gives a program another name: a link needs a permission that few have.
pub(crate) fn link_program(program: &Path, link: &Path) -> io::Result<()> {
    fs::hard_link(program, link).or_else(|_| fs::copy(program, link).map(drop))
}

/// Returns the name of this machine, for people.
pub(crate) fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// Returns whether only what can be written to can be locked here.
pub(crate) fn wants_writable(_: &io::Error) -> bool {
    false
}

/// Returns whether another's lock keeps us from reading.
pub(crate) fn is_kept_locked(error: &io::Error) -> bool {
    error.raw_os_error() == Some(LOCK_VIOLATION)
}

const SHARING_VIOLATION: i32 = 32;
const LOCK_VIOLATION: i32 = 33;

/// Returns whether another program has a file open in a way that lets nobody else have it.
pub(crate) fn is_in_use(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(SHARING_VIOLATION | LOCK_VIOLATION)
    )
}

/// Returns whether any program has a file open.
pub(crate) fn is_open(path: &Path) -> bool {
    const SHARED_BY_NONE: u32 = 0;
    let opened = OpenOptions::new()
        .read(true)
        .share_mode(SHARED_BY_NONE)
        .open(path);
    opened.is_err_and(|error| is_in_use(&error))
}

/// Returns whether the file system has run out of locks.
pub(crate) fn has_no_locks(_: &io::Error) -> bool {
    false
}

/// Returns whether something wasn't opened because a link is there, or on the way.
pub(crate) fn is_link(error: &io::Error) -> bool {
    const CANT_RESOLVE_FILENAME: i32 = 1921;
    error.raw_os_error() == Some(CANT_RESOLVE_FILENAME)
}

/// Returns whether what wasn't opened is no file.
pub(crate) fn is_no_file(error: &io::Error) -> bool {
    is_link(error)
}

/// Whether a backslash is between the names of a path.
pub(crate) const HAS_BACKSLASHES: bool = true;

/// Returns a path, or a pathspec, as git and responses write it. In a pathspec, too, a backslash is
/// before a name and before no character that is meant as it is.
pub(crate) fn slashed(path: &[u8]) -> Cow<'_, [u8]> {
    path.replace(r"\", "/").into()
}

/// Returns where a path leads, links followed.
pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    dunce::canonicalize(path)
}

/// Returns where an absolute path of a response leads, links followed, if anything is there. It has
/// `/` before each of its names, as in `/c:/src` and `/\\/host/share`.
pub(crate) fn real(path: &[u8]) -> Option<BString> {
    let path = path.to_str().ok()?.strip_prefix('/')?;
    let path = match path.strip_prefix(r"\\/") {
        Some(share) => format!(r"\\{}", share.replace('/', r"\")),
        // Without it, it would be the current directory there.
        None => format!("{path}/"),
    };
    let real = real_path(Path::new(&path)).ok()?;
    Some(real.into_os_string().into_vec().into())
}

/// Returns the user's own directory, if the environment names it.
pub(crate) fn home() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"));
    home.map(PathBuf::from)
}

/// Returns whether the terminal is ours.
pub(crate) fn is_in_front() -> bool {
    true
}

/// Returns whether a stream is a console.
pub(crate) fn is_terminal(stream: &impl AsStream) -> bool {
    stream.as_handle().is_terminal()
}

/// Has the terminal obey escape sequences. Returns whether it does.
pub(crate) fn obeys_escapes() -> bool {
    anstyle_query::windows::enable_ansi_colors().unwrap_or(true)
}

/// Ctrl-C; Ctrl-Break and the closing of the console can't be told from it.
pub(crate) const SIGNALS: [i32; 1] = [2];

/// Has another thread do what signals ask for.
pub(crate) fn on_signals([came]: &[Arc<AtomicBool>; 1], act: fn()) -> io::Result<()> {
    let came = Arc::clone(came);
    let handled = ctrlc::set_handler(move || {
        came.store(true, Ordering::SeqCst);
        act();
    });
    handled.map_err(io::Error::other)
}

/// Ends as Ctrl-C does it.
pub(crate) fn die_of(_: i32) {
    const CONTROL_C_EXIT: u32 = 0xc000_013a;
    std::process::exit(CONTROL_C_EXIT.cast_signed());
}

/// Does nothing: the system keeps how children ended.
pub(crate) fn wait_for_children() {}

/// Does nothing: children inherit no ignored signals.
pub(crate) fn let_children_heed_signals() {}

/// Returns a command that starts the shell that belongs to git, and finds what git brings with it:
/// only git itself is sure to be on the PATH. `commands` returns the directory of git's commands,
/// which is some levels below the directory that holds both.
pub(crate) fn shell(commands: impl FnOnce() -> Option<PathBuf>) -> Command {
    static BESIDE_GIT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let beside_git = BESIDE_GIT.get_or_init(|| {
        let commands = commands()?;
        let places = commands
            .ancestors()
            .flat_map(|above| ["usr/bin", "bin"].map(|place| above.join(place)));
        places
            .into_iter()
            .find(|place| place.join("sh.exe").is_file())
    });
    let Some(place) = beside_git else {
        return Command::new("sh");
    };
    let mut shell = Command::new(place.join("sh.exe"));
    prepend_path(&mut shell, place);
    shell
}

/// The keys that end what is typed.
pub(crate) const END_OF_INPUT: &str = "Ctrl-Z and Enter";

/// How many bytes the smallest pipe takes at once.
pub(crate) const PIPE_BUF: usize = 4096;

/// Returns none: no signal ends a child.
pub(crate) fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

/// Returns a second handle on an open file and the lock on it.
pub(crate) fn second_handle(file: &File) -> io::Result<OwnedStream> {
    Ok(file.try_clone()?.into())
}

/// Reads two pipes to their ends.
pub(crate) fn read_both(pipes: [Option<OwnedStream>; 2]) -> io::Result<[BString; 2]> {
    let read = |pipe: Option<OwnedStream>| {
        let mut bytes = Vec::new();
        let read = pipe.map_or(Ok(0), |pipe| File::from(pipe).read_to_end(&mut bytes));
        read.map(|_| BString::from(bytes))
    };
    let [out, err] = pipes;
    thread::scope(|scope| {
        // What it takes, whatever the environment says of stacks.
        let small = thread::Builder::new().stack_size(1 << 16);
        let err = small.spawn_scoped(scope, move || read(err))?;
        let out = read(out);
        let err = err.join().map_err(|_| io::ErrorKind::Other)?;
        Ok([out?, err?])
    })
}

/// Opens the console, to read from and to write to.
pub(crate) fn terminal() -> io::Result<(File, File)> {
    let keyboard = File::options().read(true).open("CONIN$")?;
    let screen = File::options().read(true).write(true).open("CONOUT$")?;
    Ok((keyboard, screen))
}

/// A console that sends each key at once: there is none, so lines are read.
pub(crate) enum Keys {}

/// A signal that a key sends.
pub(crate) enum KeySignal {}

impl Keys {
    /// Begins.
    pub(crate) fn begin(_: &File) -> Option<Self> {
        None
    }

    /// Returns the signal that a key usually sends.
    pub(crate) fn signal(&self, _: u8) -> Option<KeySignal> {
        match *self {}
    }
}

impl KeySignal {
    /// Sends it.
    pub(crate) fn send(self) -> io::Result<bool> {
        match self {}
    }
}
