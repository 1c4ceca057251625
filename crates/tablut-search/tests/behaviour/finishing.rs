//! Tests that a search prefers short wins and that repeating positions gains nothing.

use rand::{SeedableRng, rngs::ChaCha8Rng};
use tablut_rules::{Game, Move, Side};
use tablut_search::{
    Branch, DrawValues, EvaluateError, Evaluation, Evaluator, Method, Repeats, Search, SearchConfig, Situation, Solver,
    turned,
};

use crate::fakes::{finish, game, plain};

/// The attackers are winning everywhere. They win sooner if their soldiers are nearer to the king's file.
struct Winning(Side);

impl Evaluator for Winning {
    fn evaluate(&mut self, situations: &[Situation]) -> Result<Vec<Evaluation>, EvaluateError> {
        let evaluate = |situation: &Situation| {
            let squares = situation.position.attackers().iter();
            let moves_left = squares.map(|square| 20.0 * square.column() as f32).sum();
            let wdl = if self.0 == Side::Attackers { [0.95, 0.0, 0.05] } else { [0.05, 0.0, 0.95] };
            Evaluation { moves_left, wdl, ..Evaluation::uniform(situation.moves.len()) }
        };
        Ok(situations.iter().map(evaluate).collect())
    }
}

fn config(moves_left: f32, repeats: Repeats) -> SearchConfig {
    SearchConfig { method: Method::Puct, solver: Solver::Off, stop_when_decided: false, moves_left, repeats, ..plain() }
}

/// One soldier of the attackers, who are to move, and a king far from everything.
fn far_apart() -> Game {
    game("masters", "9/9/9/9/9/4K4/9/9/4t4 a")
}

/// Mean plies left after the attackers' moves, weighted by visits.
fn expected_column(config: &SearchConfig, winner: Side) -> f64 {
    let mut search = Search::new(far_apart(), config, 600, ChaCha8Rng::seed_from_u64(1));
    let result = finish(&mut search, &mut Winning(winner), usize::MAX);
    let column = |mv: Move| mv.to.column() as f64;
    let visits = |root_move: &tablut_search::RootMove| f64::from(root_move.visits);
    result.moves.iter().map(|root_move| visits(root_move) * column(root_move.mv)).sum::<f64>()
        / f64::from(result.simulations)
}

#[test]
fn the_winner_prefers_short_games_and_the_loser_long_ones() {
    let plain = expected_column(&config(0.0, Repeats::Evaluated), Side::Attackers);
    let winning = expected_column(&config(0.3, Repeats::Evaluated), Side::Attackers);
    let losing = expected_column(&config(0.3, Repeats::Evaluated), Side::Defenders);
    assert!(winning < plain - 0.5 && losing > plain + 0.5, "{winning:.2} {plain:.2} {losing:.2}");
}

/// Every line of four moves that returns to its start position, with the value of its end.
fn circles(branches: &[Branch], line: &mut Vec<Move>, found: &mut Vec<f32>) {
    for branch in branches {
        line.push(branch.mv);
        if let [a, b, c, d] = line.as_slice() {
            let undoes = |one: &Move, other: &Move| one.from == other.to && one.to == other.from;
            if branch.visits > 0 && undoes(a, c) && undoes(b, d) {
                found.push(branch.q);
                assert!(branch.replies.is_empty() || branch.q.abs() > 0.5, "a drawn leaf has no replies");
            }
        } else {
            circles(&branch.replies, line, found);
        }
        line.pop();
    }
}

#[test]
fn a_repeated_position_is_worth_a_draw_where_asked() {
    let values = |repeats| {
        let mut search = Search::new(far_apart(), &config(0.0, repeats), 6000, ChaCha8Rng::seed_from_u64(1));
        finish(&mut search, &mut Winning(Side::Attackers), usize::MAX);
        let mut found = Vec::new();
        circles(&search.branches(4), &mut Vec::new(), &mut found);
        assert!(!found.is_empty(), "no circle was searched");
        found
    };
    assert!(values(Repeats::Drawn).iter().all(|q| *q == 0.0));
    assert!(values(Repeats::Evaluated).iter().all(|q| *q > 0.5));
}

/// Every position is a draw.
struct Drawn;

impl Evaluator for Drawn {
    fn evaluate(&mut self, situations: &[Situation]) -> Result<Vec<Evaluation>, EvaluateError> {
        let evaluate =
            |situation: &Situation| Evaluation { wdl: [0.0, 1.0, 0.0], ..Evaluation::uniform(situation.moves.len()) };
        Ok(situations.iter().map(evaluate).collect())
    }
}

#[test]
fn a_draw_is_worth_to_the_searching_side_what_it_was_told() {
    let config = SearchConfig { draw_value: (-0.5).into(), ..config(0.0, Repeats::Drawn) };
    for (position, absolute) in [("9/9/9/9/9/4K4/9/9/4t4 a", -0.5), ("9/9/9/9/9/4K4/9/9/4t4 d", 0.5)] {
        let mut search = Search::new(game("masters", position), &config, 200, ChaCha8Rng::seed_from_u64(1));
        let result = finish(&mut search, &mut Drawn, usize::MAX);
        assert_eq!(result.value, absolute, "{position}");
        // After a move the value of a draw still counts for the side that created the search.
        search.advance(result.chosen);
        let reply = finish(&mut search, &mut Drawn, usize::MAX);
        assert_eq!(reply.value, absolute, "{position}, after a move");
        // A new value of draws starts a new tree.
        search.configure(&SearchConfig { draw_value: 0.0.into(), ..config.clone() }, 200);
        let plain = finish(&mut search, &mut Drawn, usize::MAX);
        assert_eq!((plain.value, plain.kept_visits), (0.0, 0), "{position}");
    }
}

#[test]
fn a_draw_is_worth_to_each_side_what_that_side_was_told() {
    let draw_value = DrawValues { attackers: -0.5, defenders: -0.25 };
    let config = SearchConfig { draw_value, ..config(0.0, Repeats::Drawn) };
    for (position, absolute) in [("9/9/9/9/9/4K4/9/9/4t4 a", -0.5), ("9/9/9/9/9/4K4/9/9/4t4 d", 0.25)] {
        let mut search = Search::new(game("masters", position), &config, 200, ChaCha8Rng::seed_from_u64(1));
        let result = finish(&mut search, &mut Drawn, usize::MAX);
        assert_eq!(result.value, absolute, "{position}");
    }
}

#[test]
fn a_draw_is_less_than_an_even_game_in_play_but_not_in_analysis() {
    for (position, side) in [("9/9/9/9/9/4K4/9/9/4t4 a", Side::Attackers), ("9/9/9/9/9/4K4/9/9/4t4 d", Side::Defenders)]
    {
        let value = |config: SearchConfig| {
            let config = SearchConfig { solver: Solver::Off, ..config };
            let mut search = Search::new(game("masters", position), &config, 200, ChaCha8Rng::seed_from_u64(1));
            turned(finish(&mut search, &mut Drawn, usize::MAX).value, side)
        };
        assert_eq!(value(SearchConfig::for_play()), -0.25, "{position}");
        assert_eq!(value(SearchConfig::for_analysis()), 0.0, "{position}");
    }
}

#[test]
fn a_drawn_circle_counts_as_a_draw_counts() {
    let config = SearchConfig { draw_value: (-0.5).into(), ..config(0.0, Repeats::Drawn) };
    let mut search = Search::new(far_apart(), &config, 6000, ChaCha8Rng::seed_from_u64(1));
    finish(&mut search, &mut Winning(Side::Defenders), usize::MAX);
    let mut found = Vec::new();
    circles(&search.branches(4), &mut Vec::new(), &mut found);
    assert!(!found.is_empty() && found.iter().all(|q| *q == -0.5), "{found:?}");
}
