//! An access list of Windows as text: SDDL, as `icacls /save` writes it.
//!
//! `D:AI(A;;FR;;;BU)(A;ID;FA;;;SY)` is a list of two entries. The second is inherited (`ID`): it is
//! the directory's, which gives it to new files, too. The first is the file's own. With `P` before
//! the entries the list is protected, which is to inherit nothing.

/// How the text ends where there is no list: everybody may do everything.
const NO_LIST: &str = "NO_ACCESS_CONTROL";

/// Returns whether a file's list is more than what its directory gave it.
pub(super) fn is_own(list: &str) -> bool {
    !list.ends_with(NO_LIST) && (is_protected(list) || own_entries(list).next().is_some())
}

/// Returns whether a file has, of a list that is its own, all that it is to have, and nothing from
/// its directory if the list had nothing from there. It may be protected when the list wasn't.
pub(super) fn is_kept(list: &str, now: &str) -> bool {
    !now.ends_with(NO_LIST)
        && own_entries(now).eq(own_entries(list))
        && (is_protected(now) || !is_protected(list))
        && (inherits(list) || !inherits(now))
}

/// Returns whether a list inherits nothing, whatever its directory has for new files.
pub(super) fn is_protected(list: &str) -> bool {
    let flags = list.split('(').next().unwrap_or_default();
    flags.contains('P')
}

fn inherits(list: &str) -> bool {
    entries(list).any(is_inherited)
}

fn own_entries(list: &str) -> impl Iterator<Item = &str> {
    entries(list).filter(|entry| !is_inherited(entry))
}

/// Returns the entries without the parentheses around them; those in a condition stay.
fn entries(list: &str) -> impl Iterator<Item = &str> {
    let entries = list.split_once('(').map(|(_, entries)| entries);
    let entries = entries.map(|entries| entries.strip_suffix(')').unwrap_or(entries));
    entries.into_iter().flat_map(|entries| entries.split(")("))
}

fn is_inherited(entry: &str) -> bool {
    let flags = entry.split(';').nth(1);
    flags.is_some_and(|flags| flags.contains("ID"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_a_files_own_unless_all_of_it_is_inherited() {
        for (list, want) in [
            ("D:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)", false),
            ("D:AI(A;ID;FA;;;SY)(A;;FR;;;BU)", true),
            ("D:(A;;FA;;;SY)", true),
            ("D:PAI(A;ID;FA;;;SY)", true),
            ("D:P", true),
            ("D:", false),
            ("", false),
            ("D:NO_ACCESS_CONTROL", false),
            ("D:PNO_ACCESS_CONTROL", false),
            (
                "D:AI(XA;ID;FX;;;WD;((@User.a == 1) && (@User.b == 2)))",
                false,
            ),
            (
                "D:AI(XA;;FX;;;WD;(Member_of {SID(BA)}))(A;ID;FA;;;SY)",
                true,
            ),
        ] {
            assert_eq!(is_own(list), want, "{list}");
        }
    }

    #[test]
    fn a_list_is_kept_where_nothing_of_its_own_is_lost_and_nobody_may_do_more() {
        for (list, now, want) in [
            (
                "D:AI(A;;FR;;;BU)(A;ID;FA;;;SY)",
                "D:AI(A;;FR;;;BU)(A;ID;FA;;;SY)",
                true,
            ),
            // What is inherited is the directory's affair.
            (
                "D:AI(A;;FR;;;BU)(A;ID;FA;;;SY)",
                "D:AI(A;;FR;;;BU)(A;ID;FA;;;BA)",
                true,
            ),
            ("D:AI(A;;FR;;;BU)(A;ID;FA;;;SY)", "D:AI(A;;FR;;;BU)", true),
            (
                "D:AI(A;;FR;;;BU)(A;ID;FA;;;SY)",
                "D:AI(A;ID;FA;;;SY)",
                false,
            ),
            (
                "D:AI(D;;FW;;;BU)(A;;FA;;;WD)",
                "D:AI(A;;FA;;;WD)(D;;FW;;;BU)",
                false,
            ),
            ("D:(A;;FA;;;BA)", "D:AI(A;;FA;;;BA)", true),
            ("D:(A;;FA;;;BA)", "D:AI(A;;FA;;;BA)(A;ID;FR;;;BU)", false),
            ("D:(A;;FA;;;BA)", "D:PAI(A;;FA;;;BA)", true),
            ("D:P(A;;FA;;;BA)", "D:AI(A;;FA;;;BA)", false),
            ("D:P(A;;FA;;;BA)", "D:PAI(A;;FA;;;BA)", true),
            ("D:P", "D:PAI", true),
            ("D:P", "D:AI(A;ID;FR;;;BU)", false),
            ("D:P", "D:PNO_ACCESS_CONTROL", false),
        ] {
            assert_eq!(is_kept(list, now), want, "{list} {now}");
        }
    }
}
