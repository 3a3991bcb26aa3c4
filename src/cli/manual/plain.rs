//! A manual page as text, where there is no `man`. It reads what our own pages hold of roff, whose
//! lines are short enough for any terminal as they are.

/// How far the text of a section is moved in, and what belongs to a term or a list's point.
const INDENT: usize = 4;

/// Returns a page as lines of text.
pub(super) fn text(page: &str) -> String {
    let mut out = String::new();
    let mut indent = INDENT;
    // Of what belongs to a term, or to a point of a list.
    let mut hanging = 0;
    let mut point = None;
    let mut is_term = false;
    for line in page.lines() {
        let (request, rest) = match line.strip_prefix('.') {
            Some(line) => line.split_once(' ').unwrap_or((line, "")),
            None => {
                let hang = if std::mem::take(&mut is_term) {
                    0
                } else {
                    hanging
                };
                let line = match point.take() {
                    Some(point) => format!("{point} {}", unescaped(line)),
                    None => " ".repeat(hang) + &unescaped(line),
                };
                push(&mut out, indent, &line);
                continue;
            }
        };
        match request {
            "SH" | "SS" => {
                (indent, hanging) = (INDENT, 0);
                space(&mut out);
                push(
                    &mut out,
                    if request == "SH" { 0 } else { 2 },
                    &unescaped(rest),
                );
            }
            "PP" => {
                hanging = 0;
                space(&mut out);
            }
            "sp" => space(&mut out),
            "TP" => {
                (hanging, is_term) = (INDENT, true);
                space(&mut out);
            }
            "IP" => {
                let (mark, width) = rest.split_once(' ').unwrap_or((rest, "2"));
                hanging = width.parse().unwrap_or(2);
                point = Some(mark);
                space(&mut out);
            }
            "RS" => indent += rest.parse().unwrap_or(INDENT),
            "RE" => indent = indent.saturating_sub(INDENT),
            // Of fonts, hyphens, filling: text has none.
            _ => {}
        }
    }
    out
}

fn push(out: &mut String, indent: usize, line: &str) {
    out.push_str(format!("{:indent$}{line}", "").trim_end());
    out.push('\n');
}

/// Adds an empty line, unless there is one or nothing is above it.
fn space(out: &mut String) {
    let is_apart = out.is_empty() || out.ends_with("\n\n");
    if !is_apart {
        out.push('\n');
    }
}

fn unescaped(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, escape)) = rest.split_once('\\') {
        out.push_str(before);
        let (character, len) = match escape.as_bytes() {
            [b'f', ..] => ("", 2),
            [b'(', b'g', b'a', ..] => ("`", 3),
            [b'(', b'a', b'q', ..] => ("'", 3),
            [b'(', b'r', b's', ..] => ("\\", 3),
            [b'(', b'd', b'q', ..] => ("\"", 3),
            [b'(', b't', b'i', ..] => ("~", 3),
            [b'(', b'h', b'a', ..] => ("^", 3),
            [b'&', ..] => ("", 1),
            // Any other stands for itself: `\-`.
            _ => ("", 0),
        };
        out.push_str(character);
        rest = &escape[len..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::super::PAGES;
    use super::*;

    #[test]
    fn no_page_has_roff_left() {
        for page in PAGES {
            let text = text(page.content);
            for (number, line) in text.lines().enumerate() {
                let number = number + 1;
                assert!(
                    line.chars().count() <= 120,
                    "{}:{number}: {line}",
                    page.name
                );
                assert!(
                    !line.starts_with('.') && !line.contains("\\f") && !line.contains("\\("),
                    "{}:{number}: {line}",
                    page.name
                );
            }
            assert!(text.starts_with("NAME\n    git-llmpatch"), "{text}");
        }
    }
}
