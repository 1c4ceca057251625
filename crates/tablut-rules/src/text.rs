//! Decodes the text of files.

use std::io;

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
