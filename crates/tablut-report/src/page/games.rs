//! What the last games open with, and games to step through without a script: each position is shown when its radio
//! button is chosen, so that arrow keys and the buttons' labels move through the game.

use std::fmt::Write as _;

use maud::{Markup, html};
use tablut_games::GameRecord;
use tablut_rules::{Move, Position, Rules, Side};

use crate::figures::percent;
use crate::games::{OpeningNode, opening_tree, samples};
use crate::run_files::RunFiles;
use crate::svg::{bar, board_view};

/// Rule sets whose games are shown, and their games in all: the page must stay light.
const MOST_RULE_SETS: usize = 6;
const MOST_GAMES: usize = 8;
/// A longer game is shown to this ply.
const MOST_PLIES: usize = 120;

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

/// One game as frames, one for each position.
fn sample(run: &RunFiles, rules: &Rules, game: &GameRecord, number: usize) -> Markup {
    let mut positions: Vec<Position> = Vec::new();
    let Some(shared) = run.rules_of(rules.name()) else { return html! {} };
    let Ok(end) = game.replay(shared, |state, _, _| positions.push(*state.position())) else { return html! {} };
    positions.push(*end.position());
    positions.truncate(MOST_PLIES + 1);
    let last = positions.len() - 1;
    let id = |ply: usize| format!("g{number}p{ply}");
    let result = match game.outcome.winner {
        Some(side) => format!("{side} win"),
        None => "drawn".to_owned(),
    };
    let reason = game.outcome.reason.to_string().replace('-', " ");
    html! {
        div class="game" role="group" aria-label=(format!("A game under {}, {result}", rules.name())) {
            h4 { (rules.name()) ": " (result) " " small { "(" (reason) ", " (game.plies.len()) " plies)" } }
            (value_graph(game))
            @for (ply, position) in positions.iter().enumerate() {
                @let mv = ply.checked_sub(1).map(|before| game.plies[before].mv);
                input type="radio" name=(format!("g{number}")) id=(id(ply)) checked[ply == 0] aria-label=(said(game, ply, mv));
                div class="frame" {
                    (board_view(rules, position, mv, &said(game, ply, mv)))
                    div class="steps" {
                        (step(&id(0), "|◀", "to the start", ply > 0))
                        (step(&id(ply.saturating_sub(1)), "◀", "back", ply > 0))
                        (step(&id(ply + 1), "▶", "forward", ply < last))
                        (step(&id(last), "▶|", "to the end", ply < last))
                        span class="where" { (ply) " / " (last) }
                    }
                    p class="say" { (said(game, ply, mv)) }
                }
            }
        }
    }
}

fn step(target: &str, sign: &str, name: &str, possible: bool) -> Markup {
    html! {
        @if possible { label for=(target) title=(name) { (sign) } } @else { span class="off" aria-hidden="true" { (sign) } }
    }
}

/// What has just been played, and what the search says of the position.
fn said(game: &GameRecord, ply: usize, mv: Option<Move>) -> String {
    let mut text = match mv {
        None => "Start".to_owned(),
        Some(mv) => {
            let how = if game.plies[ply - 1].search.is_some() { "" } else { " (not searched in full)" };
            format!("{ply}. {mv}{how}")
        }
    };
    if let Some(search) = game.plies.get(ply).and_then(|next| next.search.as_ref()) {
        let value = search.value;
        if value.abs() >= 1.0 {
            let side = if value > 0.0 { Side::Attackers } else { Side::Defenders };
            let _ = write!(text, " – proven: the {side} win");
        } else {
            let _ = write!(text, " – value {value:+.2}");
        }
    }
    text
}

/// The search's values over the game.
fn value_graph(game: &GameRecord) -> Markup {
    let n = game.plies.len().max(2) as f64;
    let mut path = String::new();
    for (ply, search) in game.plies.iter().enumerate().filter_map(|(ply, record)| Some((ply, record.search.as_ref()?)))
    {
        let pen = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{pen}{:.1} {:.1}", 300.0 * ply as f64 / (n - 1.0), 20.0 - 18.0 * search.value);
    }
    html! {
        svg class="graph" viewBox="0 0 300 40" preserveAspectRatio="none" role="img" aria-label="The search's value over the game, the attackers' win on top" {
            title { "The search's value over the game: above the line the attackers are ahead" }
            line class="half" x1="0" x2="300" y1="20" y2="20" {}
            path class="line n" vector-effect="non-scaling-stroke" d=(path) {}
        }
    }
}
