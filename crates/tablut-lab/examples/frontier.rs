//! Proves wins from positions of games, to see how early in a game a proof is within reach.
//!
//! `cargo run --release -p tablut-lab --example frontier -- brandubh GAMES 200000 4 0v4,1v3` reads a game's moves from
//! each line of the file GAMES, takes its positions after every fourth ply, and tries to prove a win of either side with
//! at most 200,000 nodes. It knows the values of the named classes of endgames. It prints a line of JSON for each
//! position.
//!
//! The search is depth-first proof-number search (Nagai 2002). A position that occurs twice on a line counts against the
//! side whose win is to be proven, so a proven win holds under every repetition rule. A failure proves nothing.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::json;
use tablut_lab::{EndgameValue, Endgames, Material};
use tablut_rules::{Game, Move, Position, Rules, Side, Symmetry};

/// A proof or disproof number that cannot be reached.
const NEVER: u32 = u32::MAX / 4;
/// The longest line of a proof, in plies.
const MAX_PLIES: usize = 300;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, games, nodes, every, classes] = arguments.as_slice() else {
        return Err("expected RULES, GAMES, a number of nodes, a number of plies, and CLASS,...".into());
    };
    let rules = Arc::new(Rules::load(name)?);
    let (nodes, every): (u64, usize) = (nodes.parse()?, every.parse()?);
    let mut endgames = Endgames::new(rules.clone());
    for class in classes.split(',') {
        endgames.solve(class.parse::<Material>()?)?;
    }
    let mut positions = Vec::new();
    for (game_idx, line) in std::fs::read_to_string(games)?.lines().enumerate() {
        let first = rules.set().first.side().unwrap_or(Side::Attackers);
        let mut game = Game::new(rules.clone(), first);
        let moves: Vec<Move> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        for (ply, mv) in moves.iter().enumerate() {
            if ply % every == 0 {
                positions.push((game_idx, ply, moves.len(), *game.position()));
            }
            game.play(*mv)?;
        }
    }
    positions.par_iter().for_each(|(game_idx, ply, n_plies, position)| {
        let proofs = Side::ALL.map(|side| {
            let mut prover = Prover::new(&rules, &endgames, side, nodes);
            (prover.proves(position), prover.n_nodes)
        });
        let winner = Side::ALL.into_iter().find(|side| proofs[side.index()].0).map(|side| side.to_string());
        let pieces = position.occupied().len();
        println!(
            "{}",
            json!({
                "game": game_idx + 1, "ply": ply, "plies_to_end": n_plies - ply, "position": position.to_string(),
                "pieces": pieces, "proven_winner": winner, "nodes": proofs.map(|(_, n_nodes)| n_nodes),
            })
        );
    });
    Ok(())
}

/// A search for a proof that one side wins.
struct Prover<'a> {
    rules: &'a Rules,
    endgames: &'a Endgames,
    side: Side,
    /// By hash: the proof and the disproof number.
    known: HashMap<u64, [u32; 2]>,
    /// The hashes of the positions on the line that is searched.
    line: Vec<u64>,
    n_nodes: u64,
    max_nodes: u64,
}

impl<'a> Prover<'a> {
    fn new(rules: &'a Rules, endgames: &'a Endgames, side: Side, max_nodes: u64) -> Self {
        Self { rules, endgames, side, known: HashMap::new(), line: Vec::new(), n_nodes: 0, max_nodes }
    }

    /// Whether the side's win is proven within the nodes.
    fn proves(&mut self, position: &Position) -> bool {
        let [proof, disproof] = self.numbers(position);
        proof == 0 || (disproof != 0 && self.search(position, [NEVER, NEVER])[0] == 0)
    }

    /// Searches until a number of the position reaches its limit, or the nodes are used up.
    fn search(&mut self, position: &Position, limits: [u32; 2]) -> [u32; 2] {
        self.n_nodes += 1;
        self.line.push(position.hash());
        let children = self.children(position);
        // The mover wants to bring `own` down to 0: the proof number if the mover is the side to be proven to win.
        let own = usize::from(position.side_to_move() != self.side);
        let other = 1 - own;
        let numbers = loop {
            let of_children: Vec<[u32; 2]> = children.iter().map(|child| self.numbers(child)).collect();
            let mut numbers = [0; 2];
            numbers[other] = of_children.iter().fold(0, |sum: u32, n| sum.saturating_add(n[other]).min(NEVER));
            let order = |place: &usize| of_children[*place][own];
            let best = (0..children.len()).min_by_key(order);
            numbers[own] = best.map_or(NEVER, |best| of_children[best][own]);
            let within = numbers[0] < limits[0] && numbers[1] < limits[1] && numbers[0] > 0 && numbers[1] > 0;
            let Some(best) = best.filter(|_| within && self.n_nodes < self.max_nodes) else { break numbers };
            let second = (0..children.len()).filter(|place| *place != best).map(|place| order(&place)).min();
            let mut child_limits = [0; 2];
            // A quarter more than the second best, so that the search does not change lines too often.
            let second = second.unwrap_or(NEVER);
            child_limits[own] = limits[own].min(second.saturating_add(second / 4 + 1));
            child_limits[other] = limits[other] - numbers[other] + of_children[best][other];
            let found = self.search(&children[best], child_limits);
            self.known.insert(children[best].hash(), found);
        };
        self.line.pop();
        numbers
    }

    /// The positions after each move, one of those that are images of each other.
    fn children(&self, position: &Position) -> Vec<Position> {
        let mut children = Vec::new();
        self.rules.every_move(position, |mv| {
            children.push(self.rules.apply(position, mv).position);
            true
        });
        let is_symmetric = Symmetry::ALL[1..].iter().any(|symmetry| symmetry.position(position) == *position);
        if is_symmetric {
            let form =
                |child: &Position| Symmetry::ALL.map(|symmetry| symmetry.position(child).hash()).into_iter().min();
            children.sort_by_key(form);
            children.dedup_by_key(|child| form(child));
        }
        children
    }

    /// The proof and the disproof number of a position, as far as they are known.
    fn numbers(&mut self, position: &Position) -> [u32; 2] {
        const PROVEN: [u32; 2] = [0, NEVER];
        const DISPROVEN: [u32; 2] = [NEVER, 0];
        if self.line.contains(&position.hash()) || self.line.len() >= MAX_PLIES {
            return DISPROVEN;
        }
        if let Some(numbers) = self.known.get(&position.hash()) {
            return *numbers;
        }
        let (rules, mover) = (self.rules, position.side_to_move());
        let opponent = mover.opponent();
        let winner = if let Some(outcome) = rules.decided(position) {
            outcome.winner
        } else if rules.wins_at_once(position, mover) {
            Some(mover)
        } else if !rules.has_legal_move(position)
            || (rules.wins_at_once(position, opponent) && !rules.can_parry(position, opponent))
        {
            Some(opponent)
        } else {
            match self.endgames.value(position) {
                Some(EndgameValue::Win { winner, .. }) => Some(winner),
                Some(EndgameValue::Neither) => return DISPROVEN,
                None => None,
            }
        };
        let numbers = match winner {
            Some(winner) if winner == self.side => PROVEN,
            Some(_) => DISPROVEN,
            // All replies must be refuted, so a position with few of them is nearer to a proof.
            None if mover == self.side => [1, rules.count_legal_moves(position)],
            None => [rules.count_legal_moves(position), 1],
        };
        self.known.insert(position.hash(), numbers);
        numbers
    }
}
