//! Players with their own names: `old=net:runs/a/checkpoints/gen-9.safetensors@64`.

use crate::spec::{PlayerSpec, PlayerSpecError};
use std::str::FromStr;

const MAX_NAME: usize = 40;

/// A player as on a command line, with an optional name: `NAME=PLAYER`.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedPlayer {
    /// The name, if one was given.
    pub alias: Option<String>,
    /// The player.
    pub spec: PlayerSpec,
}

impl NamedPlayer {
    /// The name in reports: the given name, otherwise the player's text in canonical form.
    pub fn name(&self) -> String {
        self.alias.clone().unwrap_or_else(|| self.spec.to_string())
    }
}

impl From<PlayerSpec> for NamedPlayer {
    fn from(spec: PlayerSpec) -> Self {
        Self { alias: None, spec }
    }
}

/// Whether `text` can be the name of a player: letters, digits, `-`, `_` and `.`, and not the text of a player.
pub fn is_name(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    (1..=MAX_NAME).contains(&text.len()) && text.chars().all(allowed) && text.parse::<PlayerSpec>().is_err()
}

impl FromStr for NamedPlayer {
    type Err = PlayerSpecError;

    /// ```
    /// use tablut_players::NamedPlayer;
    /// let player: NamedPlayer = "old=net:models/quickstart.tablut@64".parse()?;
    /// assert_eq!(player.name(), "old");
    /// assert_eq!(player.spec.to_string(), "net:models/quickstart.tablut@64");
    /// assert_eq!("greedy".parse::<NamedPlayer>()?.name(), "greedy");
    /// # Ok::<(), tablut_players::PlayerSpecError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, PlayerSpecError> {
        match text.split_once('=') {
            // An option of a net, or a word of a command, may also contain an equals sign. But a colon comes before it.
            Some((name, player)) if !name.contains(':') => {
                if !is_name(name) {
                    return Err(PlayerSpecError::new(
                        text,
                        "expected NAME=PLAYER; a name has at most 40 letters, digits, -, _ or . and names no player",
                    ));
                }
                Ok(Self { alias: Some(name.to_owned()), spec: player.parse()? })
            }
            _ => Ok(text.parse::<PlayerSpec>()?.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NamedPlayer;

    #[test]
    fn names_stand_before_players_and_options_stay_options() {
        for (text, name, spec) in [
            ("weak=alphabeta:1", "weak", "alphabeta:1"),
            ("a-1_b.c=net:x=y.tablut@8,method=puct", "a-1_b.c", "net:x=y.tablut@8,method=puct"),
            ("net:x.tablut@8,method=puct", "net:x.tablut@8,method=puct", "net:x.tablut@8,method=puct"),
            ("engine:run --net=a", "engine:run --net=a", "engine:run --net=a"),
        ] {
            let player: NamedPlayer = text.parse().unwrap();
            assert_eq!((player.name().as_str(), player.spec.to_string().as_str()), (name, spec));
        }
    }

    #[test]
    fn wrong_names_and_players_are_shown() {
        let long = format!("{}=greedy", "x".repeat(41));
        for (text, part) in [
            ("=greedy", "NAME=PLAYER"),
            ("a b=greedy", "NAME=PLAYER"),
            ("../x=greedy", "NAME=PLAYER"),
            (&long, "NAME=PLAYER"),
            // A report would show greedy as random.
            ("random=greedy", "NAME=PLAYER"),
            ("x=gredy", "\"gredy\""),
            ("x=y=greedy", "\"y=greedy\""),
        ] {
            let error = text.parse::<NamedPlayer>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
