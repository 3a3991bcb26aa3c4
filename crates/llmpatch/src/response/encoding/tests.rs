use proptest::prelude::*;

use base64::Engine as _;
use bstr::ByteSlice as _;

use super::escape::Escaped;
use super::mail::{BASE64, base64, quoted_printable};
use super::*;
use crate::text::{Decoded, Splice};

/// Returns a text after edits of all of it; they must be in order and within it.
fn after(text: &[u8], edits: &[Splice]) -> Vec<u8> {
    let mut at = 0;
    for edit in edits {
        assert!(
            at <= edit.old.start && edit.old.start <= edit.old.end,
            "{edits:?}"
        );
        at = edit.old.end;
    }
    assert!(at <= text.len());
    Decoded::new(text, 0..text.len(), edits).text
}

/// Returns what a text is once its mails are decoded, and the troubles.
fn read(text: &[u8]) -> (Vec<u8>, Vec<Undecodable>) {
    let (mut edits, mut troubles) = (Vec::new(), Vec::new());
    for body in mail_bodies(text) {
        match body.edits {
            Ok(some) => {
                let within = |edit: &Splice| {
                    body.range.start <= edit.old.start && edit.old.end <= body.range.end
                };
                assert!(some.iter().all(within));
                edits.extend(some);
            }
            Err(trouble) => troubles.push(trouble),
        }
    }
    (after(text, &edits), troubles)
}

fn mail(transfer: &str, charset: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "Subject: x\nContent-Type: text/plain; charset={charset}\n\
         Content-Transfer-Encoding: {transfer}\n\n"
    );
    [head.as_bytes(), body].concat()
}

#[test]
fn quoted_printable_is_undone() {
    for (body, want) in [
        ("a=3Db\n", "a=b\n"),
        ("caf=C3=A9\n", "café\n"),
        ("caf=c3=a9\n", "café\n"),
        (" d =20\n", " d  \n"),
        ("long=\n line\n", "long line\n"),
        ("long= \t\r\n line\r\n", "long line\r\n"),
        ("gone  \t\nkept\n", "gone\nkept\n"),
        ("gone \r\n", "gone\r\n"),
        ("bad =4 =G1 =\tx\n", "bad =4 =G1 =\tx\n"),
        ("a==41\n", "a=A\n"),
        ("a=3D=\nb", "a=b"),
        ("==\nb\n", "=b\n"),
        ("end=", "end"),
        ("end=4", "end=4"),
        ("+=1B[31mred=1B[0m\n", "+\x1b[31mred\x1b[0m\n"),
        ("a=0D\n", "a\r\n"),
        ("--=20\n2.47.3\n", "-- \n2.47.3\n"),
    ] {
        let text = mail("Quoted-Printable", "UTF-8", body.as_bytes());
        let want = mail("Quoted-Printable", "UTF-8", want.as_bytes());
        assert_eq!(read(&text), (want, vec![]), "{body:?}");
    }
}

#[test]
fn base64_is_undone_line_by_line() {
    for (body, want, splices) in [
        ("LWEKK2IK\n", "-a\n+b\n", 1),
        ("LWEK\r\nK2IK\r\n", "-a\n+b\n", 2),
        ("LWEKK\n2IK\nLWEK\n", "-a\n+b\n-a\n", 2),
        ("LW EK\n\n", "-a\n", 2),
        ("LWENCg==\n", "-a\r\n", 1),
        ("w6k=", "é", 1),
        ("w6k\n", "é", 1),
        ("w6\nk", "é", 1),
    ] {
        let text = mail("base64", "utf-8", body.as_bytes());
        let bodies = mail_bodies(&text);
        let edits = bodies[0].edits.as_ref().unwrap();
        assert_eq!(edits.len(), splices, "{body:?}");
        assert_eq!(
            after(&text, edits),
            mail("base64", "utf-8", want.as_bytes())
        );
    }
}

#[test]
fn charsets_become_utf8() {
    let none: Result<&str, &str> = Err("");
    for (transfer, charset, body, want) in [
        ("8bit", "iso-8859-1", &b"na\xefve\n"[..], Ok("naïve\n")),
        ("8bit", "ISO-8859-1", b"\x80\n", Ok("\u{80}\n")),
        ("8bit", "Windows-1252", b"\x80 \x9f \xe9\n", Ok("€ Ÿ é\n")),
        ("8bit", "windows-1252", b"\x81\n", Ok("\u{81}\n")),
        (
            "quoted-printable",
            "\"iso-8859-1\"",
            b"=EF\xef=3D\n",
            Ok("ïï=\n"),
        ),
        ("base64", "latin1", b"bmHvdmU=\n", Ok("naïve")),
        ("quoted-printable", "iso-8859-1", b"=C3=A9\n", Ok("é\n")),
        ("8bit", "iso-8859-1", "é\n".as_bytes(), none),
        ("8bit", "utf-8", b"\xe9\n", none),
        ("7bit", "us-ascii", b"a\n", none),
        ("7bit", "iso-8859-15", b"a\n", none),
        ("7bit", "koi8-r", b"\xe9\n", Err("koi8-r")),
        ("7bit", "iso-2022-jp", b"\x1b$B\n", Err("iso-2022-jp")),
        ("7bit", "UTF-7", b"a\n", Err("UTF-7")),
    ] {
        let text = mail(transfer, charset, body);
        let want = match want {
            Ok(want) => (mail(transfer, charset, want.as_bytes()), vec![]),
            Err("") => (text.clone(), vec![]),
            Err(name) => (text.clone(), vec![Undecodable::Charset(name.into())]),
        };
        assert_eq!(read(&text), want, "{charset} {}", body.as_bstr());
    }
}

#[test]
fn what_cannot_be_decoded_is_told() {
    for (transfer, body, want) in [
        (
            "x-uuencode",
            "a",
            Some(Undecodable::Transfer("x-uuencode".into())),
        ),
        ("x-uuencode", "", None),
        ("base64", "LWEK\n--\n", Some(Undecodable::Base64 { at: 5 })),
        ("base64", "LWEKL", Some(Undecodable::Base64 { at: 0 })),
        ("base64", "LW=K\n", Some(Undecodable::Base64 { at: 0 })),
    ] {
        let text = mail(transfer, "utf-8", body.as_bytes());
        let start = text.len() - body.len();
        let want = want.map(|trouble| match trouble {
            Undecodable::Base64 { at } => Undecodable::Base64 { at: start + at },
            other => other,
        });
        let want: Vec<_> = want.into_iter().collect();
        assert_eq!(read(&text), (text.clone(), want), "{body:?}");
    }
}

const QP: &str = "Content-Transfer-Encoding: quoted-printable\n";

#[test]
fn mails_are_found_where_they_are() {
    for (text, want) in [
        // No mails.
        (format!("{QP}\n=41\n"), None),
        (format!("Here you are:\nSubject: x\n{QP}\n=41\n"), None),
        (format!("Subject: x\n{QP}=41\n"), None),
        (format!("Subject: x\n{QP}no header\n\n=41\n"), None),
        (format!("  Subject: x\n{QP}\n=41\n"), None),
        (format!("Subject: x\n{QP}"), None),
        // Mails.
        (format!("\n\nSubject: x\n{QP}\n=41\n"), Some("A\n")),
        (
            format!("From 12ab Mon Sep\nSubject: x\n folded\n{QP}\n=41"),
            Some("A"),
        ),
        (
            format!("Subject: x\r\n{}\r\n=41", QP.replace('\n', "\r\n")),
            Some("A"),
        ),
        (
            format!("subject: x\n{}\n=41\n", QP.to_uppercase()),
            Some("A\n"),
        ),
        (
            format!("Here:\n\nFrom 12ab Mon Sep\nSubject: x\n{QP}\n=41\n"),
            Some("A\n"),
        ),
        (
            format!("```\nFrom 1 Mon\nSubject: x\n{QP}\n=41\n```\n=41\n"),
            Some("A\n```\n=41\n"),
        ),
        (
            format!("From 1 Mon\nSubject: x\n{QP}\n=41\n\nFrom 2 Mon\nA: x\nB: x\n\n=41\n"),
            Some("A\n\nFrom 2 Mon\nA: x\nB: x\n\n=41\n"),
        ),
        (
            format!("From 1 Mon\nA: x\nB: x\n\n=41\n\nFrom 2 Mon\nA: x\n{QP}\n=41\n"),
            Some("A\n"),
        ),
    ] {
        let got = read(text.as_bytes()).0;
        match want {
            None => assert_eq!(got, text.as_bytes(), "{text}"),
            Some(want) => assert!(got.ends_with(want.as_bytes()), "{text}\n{}", got.as_bstr()),
        }
    }
}

#[test]
fn parts_are_decoded_by_their_headers() {
    let head = "Subject: x\nContent-Type: multipart/mixed; x=y; boundary=\"=b;1\"\n\n=41\n";
    // The line that ends a part isn't a line of the diff in it.
    for (parts, want) in [
        // As Python writes it.
        (
            "--=b;1\nContent-Type: text/x-patch; charset=\"utf-8\"\n\
             Content-Transfer-Encoding: base64\n\nLWEKK2IK\n\n--=b;1--\n=41\n",
            "--=b;1\nContent-Type: text/x-patch; charset=\"utf-8\"\n\
             Content-Transfer-Encoding: base64\n\n-a\n+b\n\n=41\n",
        ),
        (
            "--=b;1\nContent-Transfer-Encoding: quoted-printable\n\n=41\n--=b;1\n\n=41\n",
            "--=b;1\nContent-Transfer-Encoding: quoted-printable\n\nA\n\n\n=41\n",
        ),
        (
            "--=b;1\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nLWEK\n",
            "--=b;1\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nLWEK\n",
        ),
        (
            "--=b;1\nContent-Type: image/png; name=a.patch\n\
             Content-Transfer-Encoding: base64\n\nLWEK\n",
            "--=b;1\nContent-Type: image/png; name=a.patch\n\
             Content-Transfer-Encoding: base64\n\nLWEK\n",
        ),
        (
            "--=b;1 \nContent-Type: application/octet-stream; name=\"1.PATCH\"\n\
             Content-Transfer-Encoding: base64\n\nLWE=\n--=b;1--\n",
            "--=b;1 \nContent-Type: application/octet-stream; name=\"1.PATCH\"\n\
             Content-Transfer-Encoding: base64\n\n-a\n\n",
        ),
        (
            "--=b;1\nContent-Type: application/octet-stream\n\
             Content-Disposition: attachment;\n filename=a.diff\n\
             Content-Transfer-Encoding: base64\n\nLWEK\n",
            "--=b;1\nContent-Type: application/octet-stream\n\
             Content-Disposition: attachment;\n filename=a.diff\n\
             Content-Transfer-Encoding: base64\n\n-a\n",
        ),
        (
            "--=b;1\nContent-Type: multipart/alternative; boundary=c\n\n--c\n\
             Content-Transfer-Encoding: base64\n\nLWEK\n--c--\n--=b;1--\n",
            "--=b;1\nContent-Type: multipart/alternative; boundary=c\n\n--c\n\
             Content-Transfer-Encoding: base64\n\n-a\n\n\n",
        ),
    ] {
        let (text, want) = (format!("{head}{parts}"), format!("{head}{want}"));
        let (got, troubles) = read(text.as_bytes());
        assert_eq!(got.as_bstr(), want.as_bytes().as_bstr());
        assert_eq!(troubles, []);
    }
}

/// Writes `{…}` as a code.
fn painted(text: &str) -> String {
    text.replace('{', "\x1b[").replace('}', "m")
}

#[test]
fn colours_of_all_lines_come_off() {
    let head = "{1}diff --git a/f b/f{}\n{1}index 8..2 100644{}\n{1}--- a/f{}\n{1}+++ b/f{}\n";
    for (text, want) in [
        // git diff --color=always.
        (
            "{36}@@ -1,5 +1,7 @@{} fn x{}\n a{}\n{31}-b{}\n{32}+{}{32}B{}\n {}\n{32}+{}\n",
            "@@ -1,5 +1,7 @@ fn x\n a\n-b\n+B\n \n+\n",
        ),
        // Older git.
        (
            "{36}@@ -1,5 +1,7 @@{}\n a\n{31}-b{}\n\\ No newline at end of file\n",
            "@@ -1,5 +1,7 @@\n a\n-b\n\\ No newline at end of file\n",
        ),
        // Whitespace that git frowns upon, and CRLF.
        (
            "{36}@@ -1 +1 @@{}\n{32}+{}{32}x{}{41}  {}\n{32}+{}  {41}  {}\t{32}x{}\n\
             {32}+{}{32}x{}{41}\r{}\n",
            "@@ -1 +1 @@\n+x  \n+    \tx\n+x\r\n",
        ),
        // git diff --ws-error-highlight=all.
        (
            "{36}@@ -1 +1 @@{}\n {}a{}\n {}  {41} {}\n {}{}\n{31}-{}{31}b{}\n",
            "@@ -1 +1 @@\n a\n    \n \n-b\n",
        ),
        // Pygments, for 16 and for 256 colours.
        (
            "{01}{35}@@ -1 +1 @@{39;49;00}{37}{39;49;00}\n{37} {39;49;00}a{37}{39;49;00}\n\
             {91}-B{39;49;00}{37}{39;49;00}\n",
            "@@ -1 +1 @@\n a\n-B\n",
        ),
        (
            "{38;5;90;01}@@ -1 +1 @@{39;00}\n{38;5;250} {39}a\n{38;5;124}-B{39}\n",
            "@@ -1 +1 @@\n a\n-B\n",
        ),
        // Colours that last until the next line's; text that no diff is made of.
        (
            "{36}@@ -1 +1 @@\n{}{31}-a\n{}{32}+b\n{}```\n- prose\n",
            "@@ -1 +1 @@\n-a\n+b\n```\n- prose\n",
        ),
        (
            "{36}@@ -1 +1 @@{}\n{31}-a{}\n\n{33}commit 12ab{}\nAuthor: x\n\n    - why\n- why\n",
            "@@ -1 +1 @@\n-a\n\ncommit 12ab\nAuthor: x\n\n    - why\n- why\n",
        ),
        (
            "{36}@@ -1 +1 @@{}\n{31}-a{}\n-- \n2.47.3\n",
            "@@ -1 +1 @@\n-a\n-- \n2.47.3\n",
        ),
    ] {
        let text = painted(&format!("- prose\n{head}{text}"));
        let plain = head.replace("{1}", "").replace("{}", "");
        let want = format!("- prose\n{plain}{want}");
        let Coloured::Whole(edits) = colours(text.as_bytes(), &[]) else {
            panic!("{text:?}: {:?}", colours(text.as_bytes(), &[]));
        };
        assert_eq!(
            after(text.as_bytes(), &edits).as_bstr(),
            want.as_bytes().as_bstr()
        );
    }
}

#[test]
fn colours_of_an_envelope_come_off() {
    let text = painted(
        "{1}*** Begin Patch{0}\n{1}*** Update File: a{0}\n{31}-a{0}\x1b[K\n{32}+b{0}\n\
         {1}*** End Patch{0}\n- done\n",
    );
    let Coloured::Whole(edits) = colours(text.as_bytes(), &[]) else {
        panic!("{:?}", colours(text.as_bytes(), &[]));
    };
    assert_eq!(
        after(text.as_bytes(), &edits).as_bstr(),
        "*** Begin Patch\n*** Update File: a\n-a\n+b\n*** End Patch\n- done\n"
    );
}

#[test]
fn colours_of_some_lines_are_told() {
    // Where the `^` is; no `^`: these are no tool's colours.
    for text in [
        "no codes",
        "[31m",
        "@@ -1 +1 @@\n-a\n+{31}b{0}\n",
        "*** Begin Patch\n*** Add File: a\n+{31}a{0}\n*** End Patch\n",
        "{31}- prose{0}\n",
        "<<<<<<< SEARCH\n{31}-a{}\n=======\n",
        "@@ -1 +1 @@\n-a\n+\x1b[2J\n",
        // Only some lines.
        "^@@ -1 +1 @@\n{31}-a{}\n{32}+b{}\n",
        "{36}@@ -1 +1 @@{}\n{31}-a{}\n^+b\n",
        "{36}@@ -1 +1 @@{}\n^-a\n{32}+b{}\n",
        "{1}diff --git a/a b/a{}\n^--- a/a\n+++ b/a\n",
        "{1}--- a/a{}\n{1}+++ b/a{}\n^@@ -1 +1 @@\n{31}-a{}\n",
        "{1}*** Begin Patch{}\n{1}*** Add File: a{}\n{32}+a{}\n^*** End Patch\n",
        // Codes in the file.
        "{36}@@ -1 +1 @@{}\n{31}-^{31}red{0}{}\n",
        "{36}@@ -1 +1 @@{}\n{32}+{}{32}^{31}red{0}{}\n",
        "{36}@@ -1 +1 @@{}\n{32}+{}{32}red{0}^{}\n",
        "{36}@@ -1 +1 @@{}\n{32}+{}{32}a {}^{31}red{}\n",
        "{36}@@ -1 +1 @@{}\n ^{31}red{0}{}\n",
        "{36}@@ -1 +1 @@{}\n a^{}a{}\n",
        "{36}@@ -1 +1 @@{}\n ^{0}a{}\n",
        // Word diffs.
        "{36}@@ -1 +1 @@{}\n a ^{31}b{}{32}c{} d{}\n",
        "{36}@@ -1 +1 @@{}\n^{31}b{}{32}c{}\n",
        "{36}@@ -1 +1 @@{}\na{}\nb = ^{31}b{}{32}c{}\n",
        "{36}@@ -1 +1 @@{}\n  a{}\n^{32}  b{}\n",
    ] {
        let at = text.find('^').map(|at| painted(&text[..at]).len());
        let text = painted(&text.replace('^', ""));
        let want = at.map_or(Coloured::No, |at| Coloured::Partly { at });
        assert_eq!(colours(text.as_bytes(), &[]), want, "{text:?}");
    }
}

#[test]
fn escapes_of_markers_are_recognised() {
    use Escaped::{Html, LineEnds, Markdown};
    for (line, want) in [
        ("&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH", Some(Html)),
        ("&lt;edit file=\"a\"&gt;", Some(Html)),
        ("  &lt;edit file=&quot;a&quot;&gt;\r\n", Some(Html)),
        ("&lt;opx&gt;", Some(Html)),
        ("&#60;opx&#62;", Some(Html)),
        ("<opx&gt;", Some(Html)),
        ("&lt;editor file=\"a\"&gt;", None),
        ("&lt;&lt;&lt; SEARCH", None),
        ("&lt;&lt;&lt;&lt;&lt;&lt;&lt; HEAD", None),
        (r"\*\*\* Begin Patch", Some(Markdown)),
        (r"\*** Begin Patch", Some(Markdown)),
        (r#"\<edit file="a">"#, Some(Markdown)),
        (r#"\<edit file="a"\>"#, Some(Markdown)),
        (r"\<opx>", Some(Markdown)),
        (r"\<<<<<<< SEARCH", Some(Markdown)),
        (r"\<\<\<\<\<\<\< SEARCH", Some(Markdown)),
        (r"\------- SEARCH", Some(Markdown)),
        (r"\*\* Begin Patch", None),
        (r"*** Begin Patch\n*** Update File: a\n", Some(LineEnds)),
        (r"*** Begin Patch\r\n*** Update File: a", Some(LineEnds)),
        (r"<<<<<<< SEARCH\na\n=======", Some(LineEnds)),
        (r#"<edit file="a">\n<find>"#, Some(LineEnds)),
        (r#"<edit file="src\new.rs">"#, None),
        (r"*** Begin Patch of \n", None),
        ("*** Begin Patch", None),
        ("<<<<<<< SEARCH", None),
        ("<opx>", None),
        ("a &lt;opx&gt;", None),
        ("", None),
    ] {
        assert_eq!(escaped_marker(line.as_bytes()), want, "{line}");
    }
}

/// Encodes as RFC 2045 says, with lines of this width.
fn to_quoted_printable(text: &[u8], width: usize) -> String {
    let mut encoded = String::new();
    for line in text.lines_with_terminator() {
        let (body, end) = match line.strip_suffix(b"\n") {
            Some(body) => (body, "\n"),
            None => (line, ""),
        };
        let mut column = 0;
        for (i, &byte) in body.iter().enumerate() {
            let is_last = i + 1 == body.len();
            let word = match byte {
                b' ' | b'\t' if !is_last => char::from(byte).to_string(),
                b'!'..=b'<' | b'>'..=b'~' => char::from(byte).to_string(),
                _ => format!("={byte:02X}"),
            };
            if column + word.len() > width {
                encoded += "=\n";
                column = 0;
            }
            column += word.len();
            encoded += &word;
        }
        encoded += end;
    }
    encoded
}

fn words() -> impl Strategy<Value = Vec<u8>> {
    let word = proptest::sample::select(vec![
        "From 1 Mon\n",
        "From: x\n",
        "Subject: y\n",
        "Content-Type: text/plain",
        "; charset=iso-8859-1",
        "; charset=koi8-r",
        "Content-Type: multipart/mixed; boundary=b\n",
        QP,
        "Content-Transfer-Encoding: base64\n",
        "\n",
        "\r\n",
        "\n\n",
        "--b",
        "--",
        "b",
        "=",
        "=41",
        "=\n",
        " ",
        "\t",
        "LWEK",
        "LW",
        "```\n",
        "é",
        "\x1b[",
        "\x1b[31m",
        "\x1b[m",
        "\x1b[K",
        "\x1b",
        "@@ -1 +1 @@",
        "-",
        "+",
        "*** Begin Patch",
        "*** End Patch",
        "diff --git a/a b/a",
        "--- a",
        "\\",
        "&lt;",
        "<",
        "<edit",
        "SEARCH",
        " SEARCH",
        ">",
        "\\n",
        "[-",
        "-]",
        "{+",
        "+}",
        "\"",
        ";",
        "boundary=",
        "\0",
    ]);
    let bytes = proptest::collection::vec(any::<u8>(), 0..3);
    let word = prop_oneof![9 => word.prop_map(|word| word.as_bytes().to_vec()), 1 => bytes];
    proptest::collection::vec(word, 0..60).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn quoted_printable_comes_back(text in words(), width in 3_usize..80) {
        let encoded = to_quoted_printable(&text, width);
        let body = encoded.as_bytes();
        prop_assert_eq!(after(body, &quoted_printable(body, 0..body.len())), text);
    }

    #[test]
    fn base64_comes_back(text in words(), width in 1_usize..80) {
        let encoded = BASE64.encode(&text);
        let rows: Vec<_> = encoded.as_bytes().chunks(width).collect();
        let body = rows.join(&b"\n"[..]);
        let edits = base64(&body, 0..body.len()).unwrap();
        prop_assert_eq!(after(&body, &edits), text);
    }

    #[test]
    fn any_bytes_are_read(text in words(), headed in any::<bool>()) {
        let text = if headed { [b"A: b\nB: c\n", &text[..]].concat() } else { text };
        read(&text);
        if let Coloured::Whole(edits) = colours(&text, &[]) {
            after(&text, &edits);
        }
        for line in text.lines() {
            escaped_marker(line);
        }
    }
}
