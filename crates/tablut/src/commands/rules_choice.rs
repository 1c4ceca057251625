//! The rules that a command uses, and the notes about the choice.

use std::path::Path;
use std::sync::Arc;

use tablut_arena::OpeningBook;
use tablut_net::{KnownRules, Model, RulesChoice, choose_rules};
use tablut_players::Nets;
use tablut_rules::Rules;

use super::matches::Book;
use super::model_file::model_name;
use crate::console::Voice;

/// Prints the notes about the choice, and returns the rules.
pub fn told(choice: RulesChoice, voice: Voice) -> Arc<Rules> {
    for note in &choice.notes {
        voice.say(format_args!("note: {note}"));
    }
    choice.rules
}

/// The rules for one model: `asked`, or rules that the net knows. Without a file it is the net that comes with the
/// program.
pub fn rules_for(asked: Option<&str>, path: Option<&Path>, model: &Model, voice: Voice) -> anyhow::Result<Arc<Rules>> {
    let net = model_name(path);
    Ok(told(choose_rules(asked, &[KnownRules { net: &net, rules: &model.rules }])?, voice))
}

/// The rules of a match: `asked`, else those of its opening book, else rules that the nets know.
pub fn match_rules(asked: Option<&str>, book: Option<&Book>, nets: &Nets, voice: Voice) -> anyhow::Result<Arc<Rules>> {
    let choice = match (asked, book) {
        (None, Some(Book::File(path))) => {
            nets.rules_of_file(&path.display().to_string(), &OpeningBook::rules_of(path)?)?
        }
        _ => nets.choose_rules(asked)?,
    };
    Ok(told(choice, voice))
}
