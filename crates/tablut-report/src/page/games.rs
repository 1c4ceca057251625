//! What the last games open with, and a few of them to step through.

use maud::{Markup, html};
use tablut_games::GameRecord;
use tablut_rules::{Position, Rules};

use super::stepping::SteppedGame;
use crate::figures::percent;
use crate::games::{OpeningNode, opening_tree, samples};
use crate::run_files::RunFiles;
use crate::svg::bar;

/// Rule sets whose games are shown, and their games in all: the page must stay light.
const MOST_RULE_SETS: usize = 6;
const MOST_GAMES: usize = 8;

pub fn openings(run: &RunFiles) -> Markup {
    let Some((first, last)) = run.games_from else { return html! {} };
    let of = |name: &str| opening_tree(run.games.iter().filter(|game| game.rules == name));
    let trees: Vec<_> = run
        .rules
        .iter()
        .map(|rules| (rules.name(), of(rules.name())))
        .filter(|(_, (tree, _))| !tree.is_empty())
        .collect();
    if trees.is_empty() {
        return html! { p class="soft" { "All games that were read begin with random plies." } };
    }
    html! {
        p class="soft" {
            "Games of generations " (first) " to " (last) " that began without random plies. Boards are turned so that like openings fall together. "
            "The bar is the attackers' score."
        }
        div class="games" { @for (name, (tree, n)) in &trees {
            div { h3 { (name) " " small { "(" (n) " games)" } } ul class="tree" { @for node in tree { (branch(node, *n)) } } }
        } }
    }
}

fn branch(node: &OpeningNode, of: usize) -> Markup {
    let score = node.attackers_score;
    html! {
        li {
            div class="node" {
                code { (node.mv) }
                span { (node.games) " of " (of) }
                (bar(&format!("attackers' score after {}", node.mv), &[("attackers", "a", score), ("defenders", "d", 1.0 - score)], 1.0))
                span class="soft" { (percent(score)) }
            }
            @if !node.replies.is_empty() { ul { @for reply in &node.replies { (branch(reply, node.games)) } } }
        }
    }
}

pub fn samples_section(run: &RunFiles) -> Markup {
    let mut shown: Vec<(&Rules, &GameRecord)> = Vec::new();
    for rules in run.rules.iter().take(MOST_RULE_SETS) {
        shown.extend(samples(&run.games, rules.name()).into_iter().map(|game| (&**rules, game)));
    }
    if run.rules.len() > 2 {
        // One of each rule set says more than three of a few.
        shown.dedup_by_key(|(rules, _)| rules.name().to_owned());
    }
    shown.truncate(MOST_GAMES);
    if shown.is_empty() {
        return html! {};
    }
    html! {
        p class="soft" {
            "Usual games of the last generations. Step with the buttons or the arrow keys. Values are the search's: +1 the attackers win, −1 the defenders win. "
            "Round pieces attack, square ones defend, the cross is the king."
        }
        div class="games" { @for (at, (rules, game)) in shown.iter().enumerate() { (sample(run, rules, game, at)) } }
    }
}

/// A finished game, from its start.
fn sample(run: &RunFiles, rules: &Rules, game: &GameRecord, number: usize) -> Markup {
    let mut positions: Vec<Position> = Vec::new();
    let Some(shared) = run.rules_of(rules.name()) else { return html! {} };
    let Ok(end) = game.replay(shared, |state, _, _| positions.push(*state.position())) else { return html! {} };
    positions.push(*end.position());
    let result = match game.outcome.winner {
        Some(side) => format!("{side} win"),
        None => "drawn".to_owned(),
    };
    SteppedGame {
        id: format!("g{number}"),
        rules,
        title: result,
        note: format!("{}, {} plies", game.outcome.reason.to_string().replace('-', " "), game.plies.len()),
        positions,
        moves: game.plies.iter().map(|ply| ply.mv).collect(),
        values: game.plies.iter().map(|ply| ply.search.as_ref().map(|search| search.chances.value())).collect(),
        at_end: false,
    }
    .markup()
}
