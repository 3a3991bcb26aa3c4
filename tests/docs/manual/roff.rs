//! The language of manual pages, as far as ours need it: what is written is valid for groff and
//! mandoc alike, whatever the text is.

/// A piece of a line, in one font.
pub(super) enum Inline {
    Roman(String),
    Bold(String),
    Italic(String),
}

pub(super) fn roman(text: impl Into<String>) -> Inline {
    Inline::Roman(text.into())
}

pub(super) fn bold(text: impl Into<String>) -> Inline {
    Inline::Bold(text.into())
}

pub(super) fn italic(text: impl Into<String>) -> Inline {
    Inline::Italic(text.into())
}

/// A page that is being written.
pub(super) struct Roff {
    page: String,
}

impl Roff {
    /// How wide the text of a page is at 80 columns, where code is indented.
    pub(super) const CODE_WIDTH: usize = 69;
    /// How long mandoc wants the lines of a page's source to be.
    const SOURCE_WIDTH: usize = 80;

    /// Begins a page: its title line, and as git's pages have it neither hyphens nor stretched
    /// spaces, since both end up in what is copied.
    pub(super) fn new(title: [&str; 5]) -> Self {
        let mut roff = Self {
            page: String::new(),
        };
        roff.page += &format!(
            ".TH {}\n",
            title.map(|part| format!("\"{part}\"")).join(" ")
        );
        roff.control("nh", &[]);
        roff.control("ad", &["l"]);
        // Where there is no such character, as in the C locale, groff would complain and leave a
        // hole.
        roff.page += ".if '\\*[.T]'ascii' .fchar \\[u2026] ...\n";
        roff
    }

    /// Returns the page.
    pub(super) fn into_page(self) -> String {
        self.page
    }

    /// Writes a request or a macro.
    pub(super) fn control(&mut self, name: &str, arguments: &[&str]) {
        self.page += &format!(".{name}");
        for argument in arguments {
            let escaped = escape(argument).replace('"', r"\(dq");
            let is_bare = !escaped.is_empty() && !escaped.contains(' ');
            self.page += &if is_bare {
                format!(" {escaped}")
            } else {
                format!(" \"{escaped}\"")
            };
        }
        self.page.push('\n');
    }

    /// Begins a paragraph. Behind a heading there is one already.
    pub(super) fn paragraph(&mut self) {
        let last = self.page.lines().last().unwrap_or_default();
        if !last.starts_with(".SH") && !last.starts_with(".SS") {
            self.control("PP", &[]);
        }
    }

    /// Writes text that is filled: each sentence begins a line of the source, and none of its lines
    /// is long.
    pub(super) fn text(&mut self, inlines: &[Inline]) {
        let set = set(inlines);
        let mut words = set.split(' ').peekable();
        let mut line = String::new();
        while let Some(word) = words.next() {
            if !line.is_empty() && length(&line) + 1 + length(word) > Self::SOURCE_WIDTH {
                self.line(&std::mem::take(&mut line));
            }
            line += if line.is_empty() { "" } else { " " };
            line += word;
            let next = words.peek().map_or("", |next| {
                next.trim_start_matches(r"\fB").trim_start_matches(r"\fI")
            });
            let goes_on = next.chars().next().is_none_or(char::is_lowercase);
            if word
                .trim_end_matches(r"\fR")
                .trim_end_matches(')')
                .ends_with(['.', '!', '?'])
                && !goes_on
            {
                self.line(&std::mem::take(&mut line));
            }
        }
        self.line(&line);
    }

    /// Writes a line that must stay one, such as the name of what is explained in what follows.
    pub(super) fn tag(&mut self, inlines: &[Inline]) {
        self.line(&set(inlines));
    }

    /// Writes lines as they are.
    pub(super) fn code<'l>(&mut self, lines: impl IntoIterator<Item = &'l str>) {
        self.paragraph();
        self.control("RS", &["4"]);
        self.control("nf", &[]);
        for line in lines {
            match line {
                "" => self.control("sp", &[]),
                line => self.line(&escape(line)),
            }
        }
        self.control("fi", &[]);
        self.control("RE", &[]);
    }

    /// Writes a line of text, which is never taken for a request.
    fn line(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        self.page += if line.starts_with(['.', '\'']) {
            r"\&"
        } else {
            ""
        };
        self.page += line;
        self.page.push('\n');
    }
}

/// Returns how long a piece of a line is to mandoc, which reads what isn't ASCII as an escape.
fn length(text: &str) -> usize {
    text.chars()
        .map(|c| if c.is_ascii() { 1 } else { r"\[u00000]".len() })
        .sum()
}

fn set(inlines: &[Inline]) -> String {
    let set = inlines.iter().map(|inline| match inline {
        Inline::Roman(text) => escape(text),
        Inline::Bold(text) => format!(r"\fB{}\fR", escape(text)),
        Inline::Italic(text) => format!(r"\fI{}\fR", escape(text)),
    });
    set.collect()
}

/// Escapes what would be shown as another character than it is, or be obeyed.
fn escape(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '\\' => r"\(rs".to_owned(),
        '-' => r"\-".to_owned(),
        '\'' => r"\(aq".to_owned(),
        '`' => r"\(ga".to_owned(),
        '^' => r"\(ha".to_owned(),
        '~' => r"\(ti".to_owned(),
        c => c.to_string(),
    });
    escaped.collect()
}
