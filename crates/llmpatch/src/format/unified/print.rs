use super::quote::Quoting;
use crate::patch::{FileEdit, Header, Hunk, HunkLine, Operation, Patch, Position, Status};

/// Prints a patch of [`Format::Unified`](crate::patch::Format::Unified) as `git diff` does.
///
/// The prefixes are `a/` and `b/`, which `git apply` expects, whatever `diff.noprefix`,
/// `diff.mnemonicPrefix` and their like say (`git format-patch` does so too). An edit without a
/// [`Header`] is of another format and isn't printed. A hunk whose place only its lines say has dots
/// for numbers, which git doesn't read.
pub fn print(patch: &Patch<'_>, quoting: Quoting) -> Vec<u8> {
    let mut printer = Printer {
        out: Vec::new(),
        quoting,
    };
    for edit in &patch.edits {
        printer.edit(edit);
    }
    printer.out
}

struct Printer {
    out: Vec<u8>,
    quoting: Quoting,
}

impl Printer {
    fn edit(&mut self, edit: &FileEdit<'_>) {
        let (Some(header), Operation::Update { to, hunks }) = (&edit.header, &edit.operation)
        else {
            debug_assert!(false, "an edit of a unified diff has a header and hunks");
            return;
        };
        let old = &*edit.path;
        let new = to.as_deref().unwrap_or(&edit.path);
        self.header(header, old, new);
        if let Some(binary) = &header.binary {
            self.out.extend(&binary.text);
        } else if !hunks.is_empty() {
            self.names(header, old, new);
            for hunk in hunks {
                self.hunk(hunk);
            }
        }
    }

    fn header(&mut self, header: &Header, old: &[u8], new: &[u8]) {
        let quoting = self.quoting;
        self.line(
            "diff --git ",
            &[
                &quoting.quote("a/", old)[..],
                b" ",
                &quoting.quote("b/", new),
            ]
            .concat(),
        );
        match (header.status, header.old_mode, header.new_mode) {
            (Status::Added, _, Some(mode)) => self.mode("new file mode ", mode),
            (Status::Deleted, Some(mode), _) => self.mode("deleted file mode ", mode),
            (_, Some(old), Some(new)) if old != new => {
                self.mode("old mode ", old);
                self.mode("new mode ", new);
            }
            _ => {}
        }
        let verb = match header.status {
            Status::Renamed => Some("rename"),
            Status::Copied => Some("copy"),
            Status::Modified | Status::Added | Status::Deleted => None,
        };
        if let Some(verb) = verb {
            if let Some(percent) = header.similarity {
                self.line("similarity index ", format!("{percent}%").as_bytes());
            }
            self.line(&format!("{verb} from "), &quoting.quote("", old));
            self.line(&format!("{verb} to "), &quoting.quote("", new));
        }
        if let Some((before, after)) = &header.ids {
            let mode = match (header.old_mode, header.new_mode) {
                (Some(old), Some(new)) if old == new => format!(" {old:06o}"),
                _ => String::new(),
            };
            self.line("index ", format!("{before}..{after}{mode}").as_bytes());
        }
    }

    /// Names both sides. A name with a space in it is followed by a tab, so that no tool takes what
    /// follows for a date.
    fn names(&mut self, header: &Header, old: &[u8], new: &[u8]) {
        let quoting = self.quoting;
        for (mark, prefix, path, absent) in [
            ("--- ", "a/", old, Status::Added),
            ("+++ ", "b/", new, Status::Deleted),
        ] {
            let mut name = if header.status == absent {
                b"/dev/null".to_vec()
            } else {
                quoting.quote(prefix, path)
            };
            if name.contains(&b' ') {
                name.push(b'\t');
            }
            self.line(mark, &name);
        }
    }

    fn hunk(&mut self, hunk: &Hunk<'_>) {
        let (numbers, heading) = match &hunk.position {
            Some(position) => {
                let Position {
                    old_start,
                    old_lines,
                    new_start,
                    new_lines,
                    heading,
                } = position;
                let old = range(old_start, old_lines);
                let new = range(new_start, new_lines);
                (format!("-{old} +{new} @@"), &heading[..])
            }
            None => {
                let named = hunk.locators.first().map(|line| &line[..]);
                ("... @@".to_owned(), named.unwrap_or_default())
            }
        };
        let mut header = numbers.into_bytes();
        if !heading.is_empty() {
            header.push(b' ');
            header.extend(heading);
        }
        self.line("@@ ", &header);
        for HunkLine {
            mark,
            text,
            unterminated,
        } in &hunk.lines
        {
            self.line(mark.prefix(), text);
            if *unterminated {
                self.line("\\ No newline at end of file", b"");
            }
        }
    }

    fn mode(&mut self, what: &str, mode: u32) {
        self.line(what, format!("{mode:06o}").as_bytes());
    }

    fn line(&mut self, what: &str, rest: &[u8]) {
        self.out.extend(what.as_bytes());
        self.out.extend(rest);
        self.out.push(b'\n');
    }
}

fn range(start: &u32, lines: &u32) -> String {
    match lines {
        1 => start.to_string(),
        _ => format!("{start},{lines}"),
    }
}
