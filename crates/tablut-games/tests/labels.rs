//! The window's targets for positions with a known answer: who wins, by which move, under any symmetry.

use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_games::{GameRecord, ReplayWindow, SearchRecord, TrainingBatch};
use tablut_net::{PLANES, PolicyIndex};
use tablut_rules::{Bitboard, Game, Move, MoveList, Position, Rules, Symmetry};
use tablut_search::Chances;

/// A position in which the side to move wins at once, and the move that does it.
struct Known {
    position: Position,
    winning: Move,
    /// The win as win, draw, loss of the attackers.
    wdl: [f32; 3],
    /// The value and the chance of a draw in the search's record. The value is absolute.
    search: (f32, f32),
}

/// Neither position is equal to itself under any symmetry except the identity.
fn known() -> [Known; 2] {
    let known = |position: &str, winning: &str, wdl, search| Known {
        position: position.parse().unwrap(),
        winning: winning.parse().unwrap(),
        wdl,
        search,
    };
    [
        known("9/5T3/1tK6/9/9/6t2/3t5/9/9 a", "d3-d7", [1.0, 0.0, 0.0], (0.5, 0.25)),
        known("9/5T3/2K6/9/9/6t2/9/1t7/9 d", "c7-c9", [0.0, 0.0, 1.0], (-0.25, 0.0)),
    ]
}

/// The policy in the search's record: three quarters for the winning move, a quarter for the first other one.
fn policy(moves: &[Move], winning: Move) -> Vec<f32> {
    let other = moves.iter().position(|&mv| mv != winning).unwrap();
    let share = |place: usize| match moves[place] {
        mv if mv == winning => 0.75,
        _ if place == other => 0.25,
        _ => 0.0,
    };
    (0..moves.len()).map(share).collect()
}

/// Many rows of a window that contains only this position, and the position's legal moves.
fn rows(rules: &Arc<Rules>, known: &Known, value_share: f32) -> (TrainingBatch, MoveList) {
    let mut game = Game::from_position(Arc::clone(rules), known.position).unwrap();
    let mut moves = MoveList::new();
    game.legal_moves(&mut moves);
    let search = SearchRecord {
        chances: Chances::new(known.search.0, known.search.1),
        simulations: 8,
        policy: SearchRecord::quantised(policy(&moves, known.winning).into_iter()),
    };
    game.play(known.winning).unwrap();
    let outcome = game.outcome().expect("the winning move ends the game");
    let mut record = GameRecord::new(0, &game, 60, outcome);
    record.plies[0].search = Some(search);
    let mut window = ReplayWindow::new(vec![Arc::clone(rules)], 100);
    window.push(&[record]).unwrap();
    (window.batch(96, value_share, &mut ChaCha8Rng::seed_from_u64(4)), moves)
}

/// The squares on which plane number `plane` of a row is set.
fn squares(batch: &TrainingBatch, row: usize, plane: usize) -> Bitboard {
    batch.input.planes[row * PLANES + plane]
}

/// The one symmetry that maps `position` to the planes of a row.
fn symmetry_shown(batch: &TrainingBatch, row: usize, position: &Position) -> Symmetry {
    let shown = [0, 1, 2].map(|plane| squares(batch, row, plane));
    let king = position.king().into_iter().collect();
    let pieces = [position.attackers(), position.defenders(), king];
    let fits = |symmetry: &Symmetry| pieces.map(|squares| symmetry.bitboard(position.size(), squares)) == shown;
    let fitting: Vec<Symmetry> = Symmetry::ALL.into_iter().filter(fits).collect();
    assert_eq!(fitting.len(), 1, "row {row} shows {shown:?}, which is {position} through {fitting:?}");
    fitting[0]
}

#[test]
fn the_policy_is_turned_with_the_board() {
    let rules = Arc::new(Rules::named("kvasir").unwrap());
    for known in known() {
        let (batch, moves) = rows(&rules, &known, 0.0);
        let wanted = policy(&moves, known.winning);
        let mut seen = [false; 8];
        for row in 0..batch.input.n {
            let symmetry = symmetry_shown(&batch, row, &known.position);
            seen[symmetry.index()] = true;
            let range = batch.input.move_range(row);
            for (&mv, &wanted) in moves.iter().zip(&wanted) {
                let index = PolicyIndex::of(rules.size(), symmetry.mv(rules.size(), mv));
                let place = batch.input.moves[range.clone()].iter().position(|&at| at == index);
                let place = place.unwrap_or_else(|| panic!("{mv} is not among the moves through {symmetry:?}"));
                let target = batch.policy[range.start + place];
                assert!((target - wanted).abs() < 1e-4, "{mv} through {symmetry:?}: {target}, not {wanted}");
            }
        }
        assert_eq!(seen, [true; 8], "some symmetry was never drawn");
    }
}

#[test]
fn the_winner_is_who_won_and_values_mix_on_his_side() {
    let rules = Arc::new(Rules::named("kvasir").unwrap());
    for (known, mixed) in known().into_iter().zip([[0.8125, 0.125, 0.0625], [0.1875, 0.0, 0.8125]]) {
        for (value_share, wanted) in [(0.0, known.wdl), (0.5, mixed)] {
            let (batch, _) = rows(&rules, &known, value_share);
            assert_eq!(batch.wdl, vec![wanted; batch.input.n], "{} at a share of {value_share}", known.position);
        }
        let (batch, _) = rows(&rules, &known, 0.0);
        assert_eq!(batch.moves_left, vec![1.0; batch.input.n]);
        let to_move = [3, 4].map(|plane| !squares(&batch, 0, plane).is_empty());
        assert_eq!(to_move, [known.wdl[0] == 1.0, known.wdl[2] == 1.0], "the side to move of {}", known.position);
    }
}
