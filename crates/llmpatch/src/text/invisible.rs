/// What a character is that nobody sees. Whitespace is seen, and so is what goes with the letter
/// before it: accents, the variants of emoji.
#[derive(Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
pub(crate) enum Invisible {
    #[strum(serialize = "an invisible bidi control")]
    Bidi,
    #[strum(serialize = "an invisible zero-width character")]
    ZeroWidth,
    #[strum(serialize = "an invisible tag character")]
    Tag,
    #[strum(serialize = "an invisible variation selector")]
    Selector,
}

impl Invisible {
    /// Returns what a character is if nobody sees it.
    pub(crate) fn of(c: char) -> Option<Self> {
        Some(match c {
            '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => Invisible::Bidi,
            '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {
                Invisible::ZeroWidth
            }
            '\u{e0000}'..='\u{e007f}' => Invisible::Tag,
            '\u{e0100}'..='\u{e01ef}' => Invisible::Selector,
            _ => return None,
        })
    }
}
