//! Names and fields of architectures are read back, and faulty ones refused.

use super::*;

#[test]
fn short_names_read_what_they_write() {
    for text in ["lines32x1", "lines32x2", "lines128x8"] {
        let architecture: Architecture = text.parse().unwrap();
        assert_eq!(architecture.to_string(), text);
        assert_eq!(serde_json::to_string(&architecture).unwrap(), format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<Architecture>(&format!("\"{text}\"")).unwrap(), architecture);
        assert_eq!(Architecture::from_json(&architecture.to_json()).unwrap(), architecture);
    }
}

#[test]
fn a_bad_name_is_refused_with_its_text() {
    for text in
        ["", "b6", "32x2", "lines", "lines32", "lines40x2", "lines32x0", "lines32x9", "lines99999999999999999999x1"]
    {
        let error = text.parse::<Architecture>().unwrap_err().to_string();
        assert!(error.contains(&format!("`{text}`")) && error.contains("lines32x2"), "{error}");
    }
}

#[test]
fn a_residual_net_is_refused_by_its_name() {
    let json = r#"{"version":1,"channels":32,"blocks":["plain","pooled"],"policy":{"channels":32},"value":{"channels":32,"hidden":64}}"#;
    for error in [Architecture::from_json(json).unwrap_err(), "b2c32".parse::<Architecture>().unwrap_err()] {
        let error = error.to_string();
        assert!(["b2c32", "residual", "47e35559", "lines32x2"].iter().all(|part| error.contains(part)), "{error}");
    }
}

#[test]
fn faulty_fields_are_refused_with_the_reason() {
    let json = "lines32x1".parse::<Architecture>().unwrap().to_json();
    let check = |from: &str, to: &str, expected: &str| {
        assert!(json.contains(from));
        let error = Architecture::from_json(&json.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check("32", "33", "lines.channels = 33");
    check(":1}", ":9}", "lines.blocks = 9");
    check("n\":1,", "n\":2,", "version 2, this program reads version 1");
    check("blocks", "layers", "`layers`");
    check("lines", "rows", "`rows`");
}
