//! Hints: the next command, ready to be typed, and the word that the user may have meant.

use std::borrow::Cow;
use std::ffi::OsStr;

use tablut_rules::RULE_SET_NAMES;

/// The minimum Jaro-Winkler similarity of a misspelling, from 0 (nothing in common) to 1 (equal).
const ALIKE: f64 = 0.8;

/// The kinds of players, as they are typed.
const PLAYERS: [&str; 9] =
    ["random", "greedy", "alphabeta", "rollouts", "net", "policy", "engine", "opentafl", "challenge"];

/// A command of this program as the user can type it, with its words quoted. It starts with `cargo run` if cargo
/// started the program.
pub fn command<W: AsRef<OsStr>>(words: impl IntoIterator<Item = W>) -> String {
    let typed = match std::env::var_os("CARGO") {
        Some(_) if cfg!(debug_assertions) => "cargo run --".to_owned(),
        Some(_) => "cargo run --release --".to_owned(),
        None => std::env::args_os().next().map_or_else(|| "tablut".to_owned(), |program| quoted(&program)),
    };
    words.into_iter().fold(typed, |line, word| line + " " + &quoted(word.as_ref()))
}

fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    shlex::try_quote(&text).map_or_else(|_| text.clone().into_owned(), Cow::into_owned)
}

/// What the user may have meant, derived from the error's message.
pub fn for_error(error: &anyhow::Error) -> Option<String> {
    let message = format!("{error:#}");
    let meant = unknown_name(&message).or_else(|| unknown_field(&message))?;
    Some(format!("did you mean {meant}?"))
}

/// The rule set or player that was meant, if the message names an unknown one.
fn unknown_name(message: &str) -> Option<String> {
    let named = |begin: &str| message.split_once(begin)?.1.split('"').next();
    if let Some(name) = named("no rule set \"") {
        return closest(name, RULE_SET_NAMES);
    }
    let kind = named("unknown player \"")?.split([':', '@']).next()?;
    closest(kind, PLAYERS)
}

/// The candidate that is most similar to `word`, if one is similar enough.
fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let alike = |candidate: &str| strsim::jaro_winkler(&word.to_lowercase(), candidate);
    let scored = candidates.into_iter().map(|candidate| (alike(candidate), candidate));
    let best = scored.filter(|(alike, _)| *alike >= ALIKE).max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(best.1.to_owned())
}

/// The field that was meant, if the message is serde's: unknown field `x`, expected one of `a`, `b`.
fn unknown_field(message: &str) -> Option<String> {
    let (_, rest) = message.split_once("unknown field ")?;
    let mut words = rest.split('`').skip(1).step_by(2);
    let unknown = words.next()?;
    closest(unknown, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_are_recognised_and_other_words_are_not() {
        let rules = |word| closest(word, RULE_SET_NAMES);
        assert_eq!(rules("kvasr").as_deref(), Some("kvasir"));
        assert_eq!(rules("Tartuu").as_deref(), Some("tartu"));
        assert_eq!(rules("chess"), None);
        assert_eq!(rules(""), None);
        let message = "line 4: unknown field `learning_rat`, expected one of `batch_size`, `learning_rate`, `window`";
        assert_eq!(unknown_field(message).as_deref(), Some("learning_rate"));
        assert_eq!(unknown_field("unknown field `seed`"), None);
        assert_eq!(unknown_field("invalid type: string `a`"), None);
    }

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted(OsStr::new("runs/a b/net")), "'runs/a b/net'");
        assert_eq!(quoted(OsStr::new("runs/quickstart")), "runs/quickstart");
    }
}
