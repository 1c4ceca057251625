//! Names and fields of architectures are read back, and faulty ones refused.

use super::*;

#[test]
fn short_names_read_what_they_write() {
    for text in ["b2c32", "b4c64", "b10c128", "lines32x2", "lines128x8"] {
        let architecture: Architecture = text.parse().unwrap();
        assert_eq!(architecture.to_string(), text);
        assert_eq!(serde_json::to_string(&architecture).unwrap(), format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<Architecture>(&format!("\"{text}\"")).unwrap(), architecture);
    }
}

#[test]
fn a_bad_name_is_refused_with_its_text() {
    for text in [
        "",
        "b6",
        "6x64",
        "b0c64",
        "b6c60",
        "b6c64x",
        "b6c1024",
        "b99999999999c64",
        "lines",
        "lines32",
        "lines40x2",
        "lines32x0",
    ] {
        let error = text.parse::<Architecture>().unwrap_err().to_string();
        assert!(error.contains(&format!("`{text}`")), "{error}");
    }
}

#[test]
fn every_field_is_written_and_read_back() {
    let blocks = vec![BlockKind::Pooled, BlockKind::Plain, BlockKind::Pooled];
    let (policy, value) = (PolicyWidths { channels: 64 }, ValueWidths { channels: 16, hidden: 48 });
    let architecture = Architecture::from(Residual::new(48, blocks, policy, value).unwrap());
    assert_eq!(architecture.to_string(), "b3c48 (pooled 1 3; policy 64; value 16, 48)");
    assert_eq!(Architecture::from_json(&architecture.to_json()).unwrap(), architecture);
    let written = serde_json::to_string(&architecture).unwrap();
    assert_eq!(written, architecture.to_json());
    assert_eq!(serde_json::from_str::<Architecture>(&written).unwrap(), architecture);
    let standard: Architecture = "b3c48".parse().unwrap();
    assert_ne!(standard, architecture);
    assert_eq!(Architecture::from_json(&standard.to_json()).unwrap(), standard);
}

#[test]
fn faulty_fields_are_refused_with_the_reason() {
    let json = "b1c16".parse::<Architecture>().unwrap().to_json();
    let check = |from: &str, to: &str, expected: &str| {
        assert!(json.contains(from));
        let error = Architecture::from_json(&json.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check("\"version\":1", "\"version\":2", "version 2, this program reads version 1");
    check("\"channels\":16", "\"channels\":24", "channels = 24");
    check("\"hidden\":64", "\"hidden\":8", "value.hidden = 8");
    check("plain", "dense", "`dense`");
    check("\"value\"", "\"worth\"", "`worth`");
    check("[\"plain\"]", "[]", "0 blocks");
    let json = "lines32x1".parse::<Architecture>().unwrap().to_json();
    let error = |from: &str, to: &str| Architecture::from_json(&json.replace(from, to)).unwrap_err().to_string();
    assert!(error("32", "33").contains("lines.channels = 33"));
    assert!(error(":1}", ":9}").contains("lines.blocks = 9"));
    assert!(error("n\":1,", "n\":2,").contains("version 2"));
}
