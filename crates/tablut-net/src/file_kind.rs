//! Guesses what kind of file something is that is not a model, for messages.

/// The kind of file that `bytes` seem to be, as in "it seems to be …", or `None` if it is unknown.
pub(crate) fn seems_to_be(bytes: &[u8]) -> Option<&'static str> {
    const STARTS: [(&[u8], &str); 7] = [
        (b"TABLUTGR", "a file of game records"),
        (b"PK\x03\x04", "a ZIP archive, such as a PyTorch checkpoint"),
        (b"\x1f\x8b", "a file compressed by gzip"),
        (b"\x28\xb5\x2f\xfd", "a file compressed by zstd"),
        (b"\x7fELF", "a program"),
        (b"\x93NUMPY", "an array of NumPy"),
        // The field ir_version, then the field producer_name: ONNX models by this program and most others start like
        // this.
        (b"\x08", "a model in ONNX's format; only the model files of `tablut train` can be read"),
    ];
    if bytes.is_empty() {
        return Some("an empty file");
    }
    // Safetensors start with the length of their header. Its last bytes are 0 in any file of reasonable size.
    let header_len = bytes.first_chunk().map_or(u64::MAX, |length| u64::from_le_bytes(*length));
    if header_len < 100_000_000 && bytes.get(8) == Some(&b'{') {
        return None;
    }
    if let Some((_, kind)) = STARTS.iter().find(|(start, _)| bytes.starts_with(start)) {
        return Some(kind);
    }
    let start = std::str::from_utf8(&bytes[..bytes.len().min(4096)]).or_else(|error| match error.error_len() {
        None => std::str::from_utf8(&bytes[..error.valid_up_to()]),
        Some(_) => Err(error),
    });
    let text = start.ok().filter(|text| !text.chars().any(|c| c.is_control() && !c.is_ascii_whitespace()))?;
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
    Some(match first {
        _ if first.starts_with('{') => "JSON text, such as metrics or games of a match",
        _ if first.starts_with('[') || first.contains('=') => "TOML text, such as a config or a rule set",
        _ => "text",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_people_mistake_for_models_are_recognised() {
        let kind = |bytes: &[u8]| seems_to_be(bytes).unwrap_or("nothing");
        assert_eq!(kind(b""), "an empty file");
        assert!(kind(b"# A net.\n\nrules = [\"kvasir\"]\n").starts_with("TOML text"));
        assert!(kind(b"[schedule]\n").starts_with("TOML text"));
        assert!(kind(b"{\"generation\":0}\n").starts_with("JSON text"));
        assert_eq!(kind("a ä letter".as_bytes()), "text");
        assert_eq!(kind(&"ä".repeat(4097).as_bytes()[..8193]), "text");
        assert!(kind(b"TABLUTGR\x02\0\0\0").contains("game records"));
        assert!(kind(b"PK\x03\x04rest").contains("ZIP"));
        assert_eq!(kind(b"\x90\x01\0\0\0\0\0\0{\"__metadata__\""), "nothing");
        assert_eq!(kind(&[0xff; 40]), "nothing");
    }
}
