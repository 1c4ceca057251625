//! Golden trees: whole small trees, stored as text. If these files change, the search has changed.

use std::fmt::Write;

use rand::{SeedableRng, rngs::ChaCha8Rng};
use tablut_search::{Branch, GumbelConfig, Method, Proof, Search, SearchConfig};

use crate::fakes::{HashEvaluator, finish, game, quiet};

/// The root's moves, then the tree: visits, prior, Q, and the proven result.
fn text(search: &Search) -> String {
    let result = search.result();
    let mut text = String::new();
    let out = &mut text;
    writeln!(out, "{}", search.game().position()).expect("a string");
    writeln!(out, "chosen {} value {:.3} simulations {}", result.chosen, result.value, result.simulations)
        .expect("a string");
    for root_move in result.moves.iter().filter(|root_move| root_move.improved >= 0.0005) {
        writeln!(out, "target {:<6} {:.3}", root_move.mv.to_string(), root_move.improved).expect("a string");
    }
    let branches = search.branches(20);
    let at_sight = branches.iter().filter(|branch| branch.visits == 0).count();
    writeln!(out, "{at_sight} moves proven without a visit").expect("a string");
    write_branches(out, &branches, 0);
    text
}

fn write_branches(out: &mut String, branches: &[Branch], depth: usize) {
    for branch in branches.iter().filter(|branch| branch.visits > 0) {
        let indent = "  ".repeat(depth);
        write!(
            out,
            "{indent}{:<6} n {:>3}  p {:.3}  q {:+.3}",
            branch.mv.to_string(),
            branch.visits,
            branch.prior,
            branch.q
        )
        .expect("a string");
        writeln!(out, "{}", branch.proven.map_or(String::new(), proven)).expect("a string");
        write_branches(out, &branch.replies, depth + 1);
    }
}

fn proven(proof: Proof) -> String {
    let winner = proof.winner.map_or("draw".to_owned(), |side| format!("{side} win"));
    let history = if proof.from_history { ", by history" } else { "" };
    format!("  {winner} in {}{history}", proof.plies)
}

fn check(name: &str, expected: &str, rules: &str, position: &str, method: Method) {
    let gumbel = GumbelConfig { max_considered: 4, ..quiet().gumbel };
    let config = SearchConfig { method, gumbel, stop_when_decided: false, ..quiet() };
    let mut search = Search::new(game(rules, position), &config, 24, ChaCha8Rng::seed_from_u64(1));
    finish(&mut search, &mut HashEvaluator, usize::MAX);
    let found = text(&search);
    assert_eq!(found, expected, "tests/golden/{name}.txt differs; the tree is now\n{found}");
}

/// The position after d1-d2, which has no symmetry.
const AFTER_ONE_MOVE: &str = "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/3tt4/4tt3 d";

#[test]
fn a_gumbel_tree_without_proofs() {
    let expected = include_str!("../golden/gumbel.txt");
    check("gumbel", expected, "masters", AFTER_ONE_MOVE, Method::Gumbel);
}

#[test]
fn a_puct_tree_without_proofs() {
    let expected = include_str!("../golden/puct.txt");
    check("puct", expected, "masters", AFTER_ONE_MOVE, Method::Puct);
}

/// The king is about to escape, and one move of the attackers prevents it. After that each side can only repeat its
/// threats and defences. Under kvasir's repetition rule this is a draw, proven by the history.
#[test]
fn a_tree_in_which_one_move_holds_a_draw() {
    let expected = include_str!("../golden/threat.txt");
    check("threat", expected, "kvasir", "9/9/3t5/4t4/2tK1t3/1t7/9/2T6/9 a", Method::Gumbel);
}
