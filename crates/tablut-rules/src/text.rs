//! Text from outside: decodes the text of files, and makes text safe to repeat in messages, which means short and without
//! characters that control a terminal.

use std::fmt;
use std::io::{self, Read};

/// A message repeats at most this many characters of a line.
const LINE: usize = 160;
/// A message repeats at most this many lines of a text.
const LINES: usize = 12;

/// Decodes UTF-8 and removes a byte-order mark.
///
/// # Errors
/// If the bytes are not UTF-8. The error names the encoding that they seem to have.
///
/// ```
/// use tablut_rules::decode;
///
/// assert_eq!(decode(b"\xef\xbb\xbfd1-d3".to_vec())?, "d1-d3");
/// let error = decode(b"\xff\xfed\x001\x00".to_vec()).unwrap_err();
/// assert_eq!(error.to_string(), "the text seems to be UTF-16, expected UTF-8");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn decode(bytes: Vec<u8>) -> io::Result<String> {
    let seems = |found: String| Err(io::Error::new(io::ErrorKind::InvalidData, format!("{found}, expected UTF-8")));
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return seems("the text seems to be UTF-16".to_owned());
    }
    match String::from_utf8(bytes) {
        // In UTF-16, every second byte of English text is zero.
        Ok(text) if text.contains('\0') => seems("the text seems to be UTF-16 or no text at all".to_owned()),
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
        Err(error) => {
            let (at, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
            let line = bytes[..at].split(|&byte| byte == b'\n').count();
            let byte = bytes[at];
            seems(format!(
                "line {line}: the byte {byte:#04x} is not UTF-8; the text seems to be Latin-1 or Windows-1252"
            ))
        }
    }
}

/// All bytes of a file or another input.
///
/// # Errors
/// If it cannot be read or has more than `most` bytes. A device such as `/dev/zero` has.
pub fn read_at_most(input: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let found = input.take(most + 1).read_to_end(&mut bytes)? as u64;
    if found > most {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("more than {most} bytes")));
    }
    Ok(bytes)
}

/// `text` as one line of at most 160 characters. Control characters are escaped, and a longer text is cut.
///
/// ```
/// use tablut_rules::shown;
///
/// assert_eq!(shown("kvasir"), "kvasir");
/// assert_eq!(shown("red \u{1b}[31m"), "red \\u{1b}[31m");
/// ```
pub fn shown(text: &str) -> String {
    let mut shown = String::new();
    for (place, c) in text.chars().enumerate() {
        if place == LINE {
            shown.push('…');
            break;
        }
        if c.is_control() || is_invisible(c) {
            shown.extend(c.escape_debug().filter(|&escape| !is_invisible(escape)));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The first lines of `text`, at most twelve, each as [`shown`] returns it.
pub fn shown_lines(text: &str) -> String {
    let mut lines: Vec<String> = text.trim_end().lines().take(LINES).map(shown).collect();
    if text.trim_end().lines().nth(LINES).is_some() {
        lines.push("…".to_owned());
    }
    lines.join("\n")
}

/// A message of serde's JSON reader in plain words: the place, and then what was found and expected.
///
/// ```
/// use tablut_rules::json_fault;
///
/// let message = "invalid type: integer `3`, expected a string at line 2 column 9";
/// assert_eq!(json_fault(&message), "line 2, column 9: found the number `3`, expected a text");
/// assert_eq!(json_fault(&"missing field `rules` at line 1 column 2"), "column 2: the key `rules` is missing");
/// ```
pub fn json_fault(error: &dyn fmt::Display) -> String {
    const WORDS: [(&str, &str, &str); 4] = [
        ("missing field ", "the key ", " is missing"),
        ("duplicate field ", "the key ", " occurs twice"),
        ("invalid length ", "found a length of ", ""),
        ("EOF while parsing ", "the text ends inside ", ""),
    ];
    let text = error.to_string();
    let (mut reason, mut place) = (text.clone(), String::new());
    if let Some((before, at)) = text.rsplit_once(" at line ") {
        before.clone_into(&mut reason);
        let place_in_line = at.strip_prefix("1 column ").map(|column| format!("column {column}: "));
        place = place_in_line.unwrap_or_else(|| format!("line {}: ", at.replace(" column ", ", column ")));
    }
    for (theirs, start, end) in WORDS {
        if let Some(rest) = reason.strip_prefix(theirs) {
            reason = format!("{start}{rest}{end}");
        }
    }
    shown(&(place + &plain_words(&reason)))
}

/// The message of a parser with words of this guide in place of Rust's types.
///
/// ```
/// use tablut_rules::plain_words;
///
/// assert_eq!(plain_words("invalid type: string \"many\", expected usize"), "found the text \"many\", expected a whole number");
/// ```
pub fn plain_words(message: &str) -> String {
    const WORDS: [(&str, &str); 21] = [
        ("invalid type: string", "found the text"),
        ("invalid type: integer", "found the number"),
        ("invalid type: floating point", "found the number"),
        ("invalid type: boolean", "found"),
        ("invalid type: map", "found a table"),
        ("invalid type: sequence", "found a list"),
        ("invalid value: string", "found the text"),
        ("invalid value: integer", "found the number"),
        ("invalid value: floating point", "found the number"),
        ("expected usize", "expected a whole number"),
        ("expected u64", "expected a whole number"),
        ("expected u32", "expected a whole number"),
        ("expected u16", "expected a whole number"),
        ("expected u8", "expected a whole number"),
        ("expected f32", "expected a number"),
        ("expected f64", "expected a number"),
        ("expected a boolean", "expected true or false"),
        ("expected a string", "expected a text"),
        ("expected a sequence", "expected a list"),
        ("expected a map", "expected a table"),
        ("expected struct ", "expected a table: "),
    ];
    WORDS.iter().fold(message.to_owned(), |message, (theirs, ours)| message.replace(theirs, ours))
}

/// Invisible characters that change the order or the place of other characters.
pub(crate) const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_is_shown() {
        let hostile = "a\u{1b}]0;title\u{7}\r\u{9b}2J\u{202e}b\u{200b}\u{feff}\u{7f}\tc";
        let shown = shown(hostile);
        assert!(shown.chars().all(|c| !c.is_control() && !is_invisible(c)), "{shown:?}");
        assert!(shown.starts_with("a\\u{1b}]0;title") && shown.ends_with("\\tc"), "{shown:?}");
        assert_eq!(shown_lines("one\ntwo\u{1b}"), "one\ntwo\\u{1b}");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shown(&"é".repeat(LINE)), "é".repeat(LINE));
        assert_eq!(shown(&"é".repeat(LINE + 1)), "é".repeat(LINE) + "…");
        let shown = shown_lines(&"[".repeat(400_000).repeat(2).replace("[[", "[\n"));
        assert_eq!(shown.lines().count(), LINES + 1);
    }
}
