//! Compares the solver at a leaf with a plain form of it, which plays every move and reply on the game.

use std::sync::Arc;

use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use tablut_rules::{
    CampEntry, CaptureCount, Game, HostileCamps, Hostility, KingCapture, Landing, Move, MoveList, Passing,
    RULE_SET_NAMES, RepetitionResult, RuleSet, Rules, Side,
};

use super::LeafSolver;
use crate::config::Solver;
use crate::proof::Proof;

/// What the solver finds: a proof, or which moves lose at once.
#[derive(Debug, PartialEq)]
enum Found {
    Proven(Proof),
    Open(Vec<bool>),
}

/// Whether `side` is to move and wins at once.
fn wins_now(game: &Game, side: Side) -> bool {
    game.outcome().is_none() && game.rules().wins_at_once(game.position(), side)
}

fn legal_moves(game: &Game) -> Vec<Move> {
    let mut moves = MoveList::new();
    game.legal_moves(&mut moves);
    moves.into_vec()
}

/// The plain form, without tests that save work.
fn plain(game: &mut Game, solver: Solver) -> Found {
    let mover = game.position().side_to_move();
    if solver == Solver::Threats && !game.rules().wins_at_once(game.position(), mover.opponent()) {
        return Found::Open(Vec::new());
    }
    let mut lost = Vec::new();
    for mv in legal_moves(game) {
        game.play_trusted(mv);
        let loses = wins_now(game, mover.opponent());
        let wins = solver == Solver::Deep
            && !loses
            && game.outcome().is_none()
            && game.rules().wins_at_once(game.position(), mover)
            && legal_moves(game).into_iter().all(|reply| {
                game.play_trusted(reply);
                let wins = wins_now(game, mover);
                game.undo();
                wins
            });
        game.undo();
        if wins {
            return Found::Proven(Proof { winner: Some(mover), plies: 3, from_history: false });
        }
        lost.push(loses);
    }
    if lost.iter().all(|lost| *lost) {
        return Found::Proven(Proof { winner: Some(mover.opponent()), plies: 2, from_history: false });
    }
    Found::Open(lost)
}

fn fast(game: &mut Game, solver: Solver, leaf: &mut LeafSolver) -> Found {
    let moves = legal_moves(game);
    match leaf.look(game, &moves, solver) {
        Some(proof) => Found::Proven(proof),
        None => Found::Open(leaf.lost().to_vec()),
    }
}

/// How often each kind of result was compared.
#[derive(Debug, Default)]
struct Counts {
    looks: u32,
    wins: u32,
    losses: u32,
    lost_moves: u32,
    near_an_end: u32,
}

/// Compares both forms at the game's position, unless the side to move wins at once.
fn compare(game: &mut Game, leaf: &mut LeafSolver, counts: &mut Counts) {
    let mover = game.position().side_to_move();
    if game.outcome().is_some() || game.rules().wins_at_once(game.position(), mover) {
        return;
    }
    for solver in [Solver::Deep, Solver::Threats] {
        let (found, expected) = (fast(game, solver, leaf), plain(game, solver));
        assert_eq!(found, expected, "{} {solver:?} at ply {} in\n{}", game.rules().name(), game.ply(), game.position());
        counts.looks += 1;
        counts.near_an_end += u32::from(game.history_may_end_it());
        match expected {
            Found::Proven(proof) if proof.winner == Some(mover) => counts.wins += 1,
            Found::Proven(_) => counts.losses += 1,
            Found::Open(lost) => counts.lost_moves += lost.iter().filter(|lost| **lost).count() as u32,
        }
    }
}

/// Variants that differ from every built-in rule set: each field takes values that few of them use.
fn custom_rules() -> Vec<Arc<Rules>> {
    let variant = |name: &str, change: &dyn Fn(&mut RuleSet)| {
        let mut set = RuleSet::named(name).expect("a built-in rule set");
        change(&mut set);
        Arc::new(Rules::new(set).expect("a sound rule set"))
    };
    vec![
        variant("kvasir", &|set| (set.king.reach, set.king.armed) = (2, false)),
        variant("kvasir", &|set| {
            set.throne.hostile_to_king = Hostility::WhenEmpty;
            (set.throne.landing, set.throne.passing) = (Landing::Anyone, Passing::Anyone);
            (set.king.beside_throne, set.king.elsewhere) = (KingCapture::BetweenTwo, KingCapture::BetweenTwo);
            set.king.throne_closes = false;
        }),
        variant("tartu", &|set| {
            set.throne.hostile_to_king = Hostility::Never;
            (set.king.edge_closes, set.king.throne_closes) = (true, true);
            set.king.elsewhere = KingCapture::Surrounded;
            set.king.beside_throne = KingCapture::Surrounded;
        }),
        variant("masters", &|set| {
            set.camps.hostile_to_king = HostileCamps::All;
            set.captures.count = CaptureCount::OneChosen;
            set.king.beside_throne = KingCapture::BetweenTwo;
        }),
        variant("piecepack", &|set| {
            set.captures.pinned_defender = true;
            (set.throne.landing, set.throne.passing) = (Landing::Nobody, Passing::Anyone);
            set.no_capture_plies = Some(9);
        }),
        variant("linnaeus", &|set| {
            set.camps.entry = CampEntry::AttackersWithin;
            (set.king.elsewhere, set.king.reach) = (KingCapture::BetweenTwo, 1);
            set.repetition.result = RepetitionResult::MoverLoses;
            set.repetition.occurrences = 2;
        }),
        variant("ashton", &|set| set.repetition.result = RepetitionResult::AggressorLoses),
    ]
}

fn all_rules() -> Vec<Arc<Rules>> {
    let named = RULE_SET_NAMES.iter().map(|name| Arc::new(Rules::named(name).expect("a built-in rule set")));
    named.chain(custom_rules()).collect()
}

/// Plays a random game and compares at every position of it. With `shuffling`, pieces often go back to where they came
/// from, so that positions repeat. An immediate win is never played, so that the game continues.
fn compare_game(game: &mut Game, rng: &mut ChaCha8Rng, shuffling: bool, counts: &mut Counts) {
    let mut leaf = LeafSolver::default();
    while game.outcome().is_none() {
        compare(game, &mut leaf, counts);
        let moves = legal_moves(game);
        let played: Vec<Move> = game.moves().rev().take(2).collect();
        let back = played.get(1).map(|mv| Move::new(mv.to, mv.from));
        let quiet = |mv: &&Move| game.rules().apply(game.position(), **mv).winner.is_none();
        let goes_back = shuffling && !rng.next_u32().is_multiple_of(4);
        let mv = if let Some(back) = back.filter(|back| goes_back && moves.contains(back)) {
            back
        } else {
            let open: Vec<Move> = moves.iter().filter(quiet).copied().collect();
            let from = if open.is_empty() { &moves } else { &open };
            from[rng.next_u32() as usize % from.len()]
        };
        game.play_trusted(mv);
    }
}

#[test]
fn random_games_of_all_rule_sets_agree_with_the_plain_form() {
    let mut counts = Counts::default();
    for rules in all_rules() {
        for seed in 0..8 {
            let first = Side::ALL[seed as usize % 2];
            let mut game = Game::new(rules.clone(), first).with_max_plies(160);
            compare_game(&mut game, &mut ChaCha8Rng::seed_from_u64(seed), seed % 4 == 3, &mut counts);
        }
    }
    assert!(counts.looks > 20_000 && counts.wins > 500 && counts.losses > 100, "{counts:?}");
    assert!(counts.lost_moves > 10_000 && counts.near_an_end > 100, "{counts:?}");
}

/// With few pieces the king is often near an escape or nearly captured.
#[test]
fn games_with_few_pieces_agree_with_the_plain_form() {
    let mut counts = Counts::default();
    for rules in all_rules() {
        for seed in 0..60 {
            let mut rng = ChaCha8Rng::seed_from_u64(1000 + seed);
            let Some(game) = sparse_game(&rules, &mut rng) else { continue };
            compare_game(&mut game.with_max_plies(14), &mut rng, seed % 3 == 0, &mut counts);
        }
    }
    assert!(counts.looks > 10_000 && counts.wins > 500 && counts.losses > 200, "{counts:?}");
}

/// A game from a random position with few pieces, if it is not over at once.
fn sparse_game(rules: &Arc<Rules>, rng: &mut ChaCha8Rng) -> Option<Game> {
    use tablut_rules::{Bitboard, Position};
    let size = rules.size();
    let mut taken = Bitboard::EMPTY;
    let mut place = |n: usize| {
        let mut placed = Bitboard::EMPTY;
        while placed.len() < n {
            let square = size.square(rng.next_u32() as usize % size.n_squares());
            if !taken.contains(square) {
                taken.insert(square);
                placed.insert(square);
            }
        }
        placed
    };
    let (attackers, defenders, king) = (place(9), place(4), place(1).first());
    let side = Side::ALL[rng.next_u32() as usize % 2];
    let position = Position::from_parts(size, attackers, defenders, king, side).ok()?;
    Game::from_position(rules.clone(), position).ok().filter(|game| game.outcome().is_none())
}
