//! The value of a draw for each side.

use std::fmt;

use serde::{Deserialize, Serialize};
use tablut_rules::Side;

/// The value of a draw for the side that searches, from −1 (a loss) to 1 (a win).
///
/// Files hold one number for both sides, or `attackers` and `defenders`. A missing one is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written")]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct DrawValues {
    pub attackers: f32,
    pub defenders: f32,
}

impl DrawValues {
    /// The value of a draw for `side`.
    pub fn to(self, side: Side) -> f32 {
        match side {
            Side::Attackers => self.attackers,
            Side::Defenders => self.defenders,
        }
    }
}

/// The same value for both sides.
impl From<f32> for DrawValues {
    fn from(value: f32) -> Self {
        Self { attackers: value, defenders: value }
    }
}

/// Writes one number if it is the same for both sides.
impl fmt::Display for DrawValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { attackers, defenders } = self;
        if attackers == defenders {
            return write!(f, "{attackers}");
        }
        write!(f, "{{ attackers = {attackers}, defenders = {defenders} }}")
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number, or numbers for `attackers` and `defenders`", deny_unknown_fields)]
enum Written {
    Both(f32),
    Each {
        #[serde(default)]
        attackers: f32,
        #[serde(default)]
        defenders: f32,
    },
}

impl From<Written> for DrawValues {
    fn from(written: Written) -> Self {
        match written {
            Written::Both(value) => value.into(),
            Written::Each { attackers, defenders } => Self { attackers, defenders },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct File {
        draw_value: DrawValues,
    }

    #[test]
    fn both_forms_are_read() {
        let read = |text: &str| toml::from_str::<File>(text).map(|file| file.draw_value);
        let defenders = DrawValues { attackers: 0.0, defenders: -0.5 };
        assert_eq!(read("draw_value = -0.5"), Ok(DrawValues::from(-0.5)));
        assert_eq!(read("draw_value = 1"), Ok(DrawValues::from(1.0)));
        assert_eq!(read("draw_value.defenders = -0.5"), Ok(defenders));
        let written = toml::to_string(&File { draw_value: defenders }).expect("plain data");
        assert_eq!(read(&written), Ok(defenders), "{written}");
        assert_eq!((defenders.to(Side::Attackers), defenders.to(Side::Defenders)), (0.0, -0.5));
        assert_eq!(
            [defenders, (-0.3).into()].map(|values| values.to_string()),
            ["{ attackers = 0, defenders = -0.5 }", "-0.3"]
        );
        for wrong in ["draw_value = 'none'", "draw_value.king = 1", "draw_value = [0, 0, 0]"] {
            let error = read(wrong).expect_err("neither form").to_string();
            assert!(error.contains("numbers for `attackers` and `defenders`"), "{wrong}: {error}");
        }
    }
}
