//! The openings of the last games, and some games to step through.

use maud::{Markup, html};
use tablut_games::GameRecord;

use super::stepping::{Steps, stepped_game};
use crate::figures::percent;
use crate::games::{OpeningNode, opening_tree, samples};
use crate::live::DisplayedGame;
use crate::run_files::RunFiles;
use crate::svg::bar;

/// Maximum numbers of rule sets and games, which keep the page small.
const MOST_RULE_SETS: usize = 6;
const MOST_GAMES: usize = 8;

pub fn openings(run: &RunFiles) -> Markup {
    let Some((first, last)) = run.games_from else { return html! {} };
    let trees: Vec<_> = run
        .rules
        .iter()
        .map(|rules| (rules.name(), opening_tree(&run.games, rules)))
        .filter(|(_, (tree, _))| tree.iter().any(|node| node.games > 1))
        .collect();
    if trees.is_empty() {
        return html! { p class="soft" { "No two games of the last generations have the same opening without random plies." } };
    }
    html! {
        p class="soft" {
            "These are the openings that at least two games of generations " (first) " to " (last) " have, without random plies. Symmetric openings are merged. "
            "The bar shows the attackers' score in the finished games."
        }
        div class="games" { @for (name, (tree, n)) in &trees {
            div { h3 { (name) " " small { "(" (n) " games)" } } ul class="tree" { @for node in tree.iter().filter(|node| node.games > 1) { (branch(node, *n)) } } }
        } }
    }
}

fn branch(node: &OpeningNode, of: usize) -> Markup {
    html! {
        li {
            div class="node" {
                code { (node.mv) }
                span { (node.games) " of " (of) }
                @if let Some(score) = node.attackers_score {
                    (bar(&format!("attackers' score after {}", node.mv), &[("attackers", "a", score), ("defenders", "d", 1.0 - score)], 1.0))
                    span class="soft" { (percent(score)) }
                } @else { span class="soft" { "unfinished" } }
            }
            @let replies: Vec<&OpeningNode> = node.replies.iter().filter(|reply| reply.games > 1).collect();
            @if !replies.is_empty() { ul { @for reply in replies { (branch(reply, node.games)) } } }
        }
    }
}

/// Some games of the last generations. Without `steps` only their last positions are shown.
pub fn samples_section(run: &RunFiles, steps: bool) -> Markup {
    let rule_sets = run.rules.iter().take(MOST_RULE_SETS);
    let mut shown: Vec<&GameRecord> = rule_sets.flat_map(|rules| samples(&run.games, rules)).collect();
    if run.rules.len() > 2 {
        // With many rule sets, one game of each is shown.
        shown.dedup_by(|game, other| game.rules == other.rules);
    }
    shown.truncate(MOST_GAMES);
    if shown.is_empty() {
        return html! {};
    }
    html! {
        p class="soft" {
            "For each result the page shows a game of median length from the last generations. "
            @if steps { "Step with the buttons or the arrow keys. " }
            "Values are from the search: +1 is a win of the attackers, −1 of the defenders. "
            "Attackers are hexagons, defenders are round, and the king has a crown."
        }
        @let shown_from = if steps { Steps::FromFirst } else { Steps::None };
        div class="games" { @for (at, game) in shown.into_iter().enumerate() { (stepped_game(run, &DisplayedGame::from(game), &format!("g{at}"), shown_from)) } }
    }
}
