//! What a patch may have gone through on its way: a mail's encodings, a terminal's colours, escapes
//! of HTML and Markdown.

mod colour;
mod escape;
mod mail;
#[cfg(test)]
mod tests;

pub(crate) use colour::{Coloured, colours};
pub(crate) use escape::escaped_marker;
pub(crate) use mail::Undecodable;
pub(crate) use mail::mail_bodies;
