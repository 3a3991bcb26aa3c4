//! Text as bytes: a named source with a line index, places in it, and lines that know their own
//! ending.
//!
//! Nothing here knows what the text means. The rule on which everything else relies: a line ends
//! with LF or CRLF and with nothing else. A lone CR, a form feed and U+2028 are ordinary bytes of a
//! line.

mod content;
mod decoded;
mod elision;
mod entity;
mod excerpt;
mod hash;
mod invisible;
mod line_number;
mod lines;
mod shown;
mod source;
mod whitespace;

pub use content::{
    Content, Hindrance, Splice, Withheld, is_binary, is_pointer, is_utf8, same_ends,
};
pub(crate) use content::{same_end, same_start};
pub(crate) use decoded::{Decoded, DecodedPlaces};
pub(crate) use elision::looks_elided;
pub(crate) use entity::{ENTITIES, decode, encode};
pub use excerpt::Excerpt;
pub(crate) use hash::{hash, mixed, spread};
pub(crate) use invisible::Invisible;
pub(crate) use line_number::{digits, line_number, number_mark};
pub use lines::{Ending, Line, LineNo, Lines, Starts};
pub(crate) use shown::plural;
pub use shown::{Shown, SystemError, lines, listed, sentence, shell_word};
pub use source::{Located, Row, Source, SourceId, Span, Text};
pub(crate) use whitespace::{
    has_letters, indentation, is_blank, is_name, is_space, is_spaces, is_word,
    starts_with_any_case, trim, trim_end, trim_spaces, trim_spaces_end, trim_start,
};
