//! Names of rule sets. They are short and use few characters, because files and commands contain them.

/// Longest name, in characters.
const LONGEST: usize = 64;

/// The characters of a name, for messages.
pub(super) const EXPECTED: &str = "1 to 64 letters a to z or A to Z, digits, - and _, the first a letter or a digit";

/// Whether `name` can be the name of a rule set.
#[must_use]
pub fn is_rule_set_name(name: &str) -> bool {
    let first_fits = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    first_fits && name.len() <= LONGEST && name.chars().all(is_of_alphabet)
}

/// The valid name nearest to `text`, or `otherwise` if no character of it can be used.
pub(crate) fn nearest_name(text: &str, otherwise: &str) -> String {
    let mapped = text.chars().map(|c| if is_of_alphabet(c) { c } else { '-' }).collect::<String>();
    let name: String = mapped.trim_start_matches(['-', '_']).chars().take(LONGEST).collect();
    let name = name.trim_end_matches('-');
    if name.is_empty() { otherwise.to_owned() } else { name.to_owned() }
}

const fn is_of_alphabet(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nearest_name_is_a_name() {
        for (text, name) in [
            ("kvasir", "kvasir"),
            ("my rules (2)", "my-rules--2"),
            ("../../escaped", "escaped"),
            ("/etc/passwd", "etc-passwd"),
            ("\u{1b}[31m", "31m"),
            ("...", "custom"),
            ("", "custom"),
        ] {
            assert_eq!(nearest_name(text, "custom"), name);
            assert!(is_rule_set_name(&nearest_name(text, "custom")), "{text:?}");
        }
        assert!(is_rule_set_name(&nearest_name(&"long ".repeat(40), "custom")));
        for text in ["", "-a", "a b", "a/b", "a.toml", "ä", "a\n", &"a".repeat(65)] {
            assert!(!is_rule_set_name(text), "{text:?}");
        }
    }
}
