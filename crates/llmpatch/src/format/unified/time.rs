//! The time of a file behind its name, as `diff -u` writes it.

use bstr::ByteSlice as _;

/// Returns how long the time is that `diff -u` writes, with the spaces before it, at the end of a
/// text.
pub(super) fn time_len(text: &[u8]) -> usize {
    let mut rest = text;
    let fields = [is_zone, is_clock, is_date];
    let is_time = fields.iter().all(|is_field| {
        let (before, field) = rest.rsplit_once_str(" ").unwrap_or_default();
        rest = before;
        is_field(field)
    });
    let name = rest.trim_end_with(|c| c == ' ');
    if is_time && !name.is_empty() {
        text.len() - name.len()
    } else {
        0
    }
}

fn is_date(field: &[u8]) -> bool {
    is_like(field, b"dddd-dd-dd")
}

fn is_clock(field: &[u8]) -> bool {
    let (clock, fraction) = field.split_once_str(".").unwrap_or((field, b"0"));
    let is_number = !fraction.is_empty() && fraction.iter().all(u8::is_ascii_digit);
    is_like(clock, b"dd:dd:dd") && is_number
}

fn is_zone(field: &[u8]) -> bool {
    [b"+dddd" as &[u8], b"-dddd", b"+dd:dd", b"-dd:dd"]
        .iter()
        .any(|form| is_like(field, form))
}

/// Returns whether a text has digits where a form has `d`, and else the same bytes.
fn is_like(text: &[u8], form: &[u8]) -> bool {
    let is_same = |(byte, form): (&u8, &u8)| match form {
        b'd' => byte.is_ascii_digit(),
        _ => byte == form,
    };
    text.len() == form.len() && text.iter().zip(form).all(is_same)
}

/// Returns whether what `diff -u` writes of a file's time is the epoch, in whatever zone; `None`, too,
/// of a day that is far from it or of what isn't written so.
pub(super) fn is_epoch(time: &[u8]) -> Option<bool> {
    let (date, rest) = time.trim_ascii().split_once_str(" ")?;
    let (clock, zone) = rest.split_once_str(" ")?;
    let (minute, seconds) = clock.split_at_checked(5)?;
    let seconds = seconds.strip_prefix(b":00")?;
    let fraction = seconds.strip_prefix(b".").unwrap_or(seconds);
    let (sign, zone) = zone.split_at_checked(1)?;
    let zone = minutes(zone)?;
    let east = if sign == b"-" { -zone } else { zone };
    let day = match date {
        b"1970-01-01" => 0,
        b"1969-12-31" => -24 * 60,
        _ => return None,
    };
    let is_whole = fraction.iter().all(|&byte| byte == b'0');
    Some(is_whole && day + minutes(minute)? == east)
}

/// Reads `01:30` or `0130` as minutes.
fn minutes(text: &[u8]) -> Option<i32> {
    let (hours, minutes) = text.split_at_checked(2)?;
    let minutes = minutes.strip_prefix(b":").unwrap_or(minutes);
    let number = |text: &[u8]| text.to_str().ok()?.parse::<i32>().ok();
    Some(number(hours)? * 60 + number(minutes)?)
}
