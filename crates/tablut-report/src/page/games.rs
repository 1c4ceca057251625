//! What the last games open with, and a few of them to step through.

use maud::{Markup, html};
use tablut_games::GameRecord;

use super::stepping::stepped_game;
use crate::figures::percent;
use crate::games::{OpeningNode, opening_tree, samples};
use crate::live::GameSnapshot;
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
    let rule_sets = run.rules.iter().take(MOST_RULE_SETS);
    let mut shown: Vec<&GameRecord> = rule_sets.flat_map(|rules| samples(&run.games, rules.name())).collect();
    if run.rules.len() > 2 {
        // One of each rule set says more than three of a few.
        shown.dedup_by(|game, other| game.rules == other.rules);
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
        div class="games" { @for (at, game) in shown.into_iter().enumerate() { (stepped_game(run, &GameSnapshot::from(game), &format!("g{at}"), false)) } }
    }
}
