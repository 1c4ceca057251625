//! Levels of play: how long the computer thinks, and how much it leaves to chance.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use tablut_rules::{Game, Move, Position, Side};
use tablut_search::{DrawValues, RootMove, SearchConfig, SearchResult, Solver, formulas::temperature::draw, turned};

/// How the computer plays.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Level {
    /// The name by which commands and files know it.
    pub name: &'static str,
    /// What it is called on a page.
    pub title: &'static str,
    /// What it does, in a sentence.
    pub description: &'static str,
    /// Simulations a move.
    #[serde(skip)]
    pub simulations: u32,
    /// How evenly moves are drawn: 0 plays the best move found, 1 draws by the policy, more draws more evenly.
    #[serde(skip)]
    pub temperature: f32,
    /// What it sees and proves beside the net's opinion.
    #[serde(skip)]
    pub solver: Solver,
    /// It aims at a balanced game instead of a win.
    #[serde(skip)]
    pub adapts: bool,
}

/// All levels, the weakest first; the one that adapts is last.
pub const LEVELS: [Level; 8] = [
    Level {
        name: "newcomer",
        title: "Newcomer",
        description: "Knows how the pieces move and little more.",
        simulations: 0,
        temperature: 2.5,
        solver: Solver::Off,
        adapts: false,
    },
    Level {
        name: "beginner",
        title: "Beginner",
        description: "Plays by feeling, without looking ahead, and often misses a win.",
        simulations: 0,
        temperature: 1.2,
        solver: Solver::Off,
        adapts: false,
    },
    Level {
        name: "casual",
        title: "Casual",
        description: "Good habits, no calculation.",
        simulations: 0,
        temperature: 0.6,
        solver: Solver::Off,
        adapts: false,
    },
    Level {
        name: "club",
        title: "Club player",
        description: "Looks a little ahead, sees threats, and still varies its moves.",
        simulations: 32,
        temperature: 0.5,
        solver: Solver::Threats,
        adapts: false,
    },
    Level {
        name: "strong",
        title: "Strong",
        description: "Calculates short lines exactly.",
        simulations: 128,
        temperature: 0.0,
        solver: Solver::Deep,
        adapts: false,
    },
    Level {
        name: "expert",
        title: "Expert",
        description: "Thinks for a moment and misses little.",
        simulations: 800,
        temperature: 0.0,
        solver: Solver::Deep,
        adapts: false,
    },
    Level {
        name: "full",
        title: "Full strength",
        description: "All that the net can do in a second or so.",
        simulations: 6000,
        temperature: 0.0,
        solver: Solver::Deep,
        adapts: false,
    },
    Level {
        name: "adaptive",
        title: "Adaptive",
        description: "Looks ahead like a strong player and then picks moves that keep the game close.",
        simulations: 128,
        temperature: 0.0,
        solver: Solver::Deep,
        adapts: true,
    },
];

/// What matches have measured of the levels, one line each; `experiments/levels` says how.
const MEASURED: &str = include_str!("level_ratings.jsonl");

/// A level with what it is worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelInfo {
    /// The level.
    #[serde(flatten)]
    pub level: Level,
    /// Its ratings, where they were measured.
    pub ratings: Option<LevelRatings>,
}

/// What a level is worth on each side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelRatings {
    /// The level's name.
    pub level: String,
    /// The rule set that was played.
    pub rules: String,
    /// As the attackers.
    pub attackers: SideRating,
    /// As the defenders.
    pub defenders: SideRating,
}

/// A rating in Elo points with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SideRating {
    /// The estimate.
    pub elo: f64,
    /// The interval's lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Games played.
    pub games: u32,
}

/// All levels with their ratings. A line that cannot be read rates nobody.
pub(crate) fn level_infos() -> Vec<LevelInfo> {
    let read = MEASURED.lines().filter_map(|line| serde_json::from_str::<LevelRatings>(line).ok());
    let measured: Vec<LevelRatings> = read.collect();
    let info = |level: &Level| {
        let ratings = measured.iter().find(|ratings| ratings.level == level.name).cloned();
        LevelInfo { level: *level, ratings }
    };
    LEVELS.iter().map(info).collect()
}

/// Plies at a game's beginning in which even the best players vary their moves, so that no two games are alike.
const VARIED_PLIES: u32 = 6;
/// In those plies a PUCT search draws its move from visits^(1 / temperature).
const VARIED_TEMPERATURE: f32 = 0.5;
/// Nodes that one search of a session may hold.
pub(crate) const MAX_NODES: u32 = 60_000;
/// How far from an even game an adaptive level likes to be, in its own favour.
const ADAPTIVE_AIM: f32 = 0.05;
/// Moves with less of the net's opinion than this share of its favourite are no candidates of an adaptive level.
const ADAPTIVE_SHARE: f32 = 0.04;
/// Moves with fewer visits than this are no candidates either: their values are hardly more than the net's guess.
const ADAPTIVE_VISITS: u32 = 4;
/// An adaptive level draws among the candidates that are at most this much further from its aim than the nearest one.
const ADAPTIVE_SLACK: f32 = 0.04;

/// The search with which a session's levels think.
pub fn session_search() -> SearchConfig {
    SearchConfig { max_nodes: MAX_NODES, ..SearchConfig::for_play() }
}

/// The search with which a session's analysis thinks. It wants values, not only the best move.
pub(crate) fn analysis_search() -> SearchConfig {
    SearchConfig { max_nodes: MAX_NODES, ..SearchConfig::for_analysis() }
}

/// Makes a search vary its moves in the first plies of a game from the rules' own position.
pub fn vary_opening(config: &mut SearchConfig, game: &Game) {
    let start = game.start();
    if game.ply() < VARIED_PLIES && *start == Position::start(start.side_to_move()) {
        (config.gumbel.noise, config.puct.temperature) = (true, VARIED_TEMPERATURE);
    }
}

impl Level {
    /// The level of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        LEVELS.iter().find(|level| level.name == name)
    }

    /// The names of all levels, with commas.
    pub fn names() -> String {
        LEVELS.map(|level| level.name).join(", ")
    }

    /// The search that it thinks with, where the game stands.
    pub fn search(&self, game: &Game) -> SearchConfig {
        let mut config = session_search();
        config.solver = self.solver;
        if self.adapts {
            // It aims at an even game, so a draw must count as one.
            config.draw_value = DrawValues::default();
        }
        if self.temperature == 0.0 {
            vary_opening(&mut config, game);
        }
        config
    }

    /// The move that it plays after its search.
    pub fn choose(&self, result: &SearchResult, side: Side, rng: &mut ChaCha8Rng) -> Move {
        if self.adapts {
            return adaptive(result, side, rng.random());
        }
        if self.temperature <= 0.0 {
            return result.chosen;
        }
        let power = 1.0 / self.temperature;
        let weights: Vec<f32> = result.moves.iter().map(|root| root.improved.powf(power)).collect();
        draw(rng.random(), &weights).map_or(result.chosen, |index| result.moves[index].mv)
    }
}

/// A move whose value for `side` is nearly the nearest to an even game, drawn by `unit` from [0, 1) in proportion to the
/// visits. A proven win is among the far ones. A move into a proven loss is played only if there is nothing else.
fn adaptive(result: &SearchResult, side: Side, unit: f64) -> Move {
    let loses = |root: &RootMove| root.proven.is_some_and(|proof| proof.winner == Some(side.opponent()));
    let best_prior = result.moves.iter().map(|root| root.prior).fold(0.0, f32::max);
    let is_candidate =
        |root: &RootMove| !loses(root) && root.visits >= ADAPTIVE_VISITS && root.prior >= ADAPTIVE_SHARE * best_prior;
    let distance = |root: &RootMove| (turned(root.q, side) - ADAPTIVE_AIM).abs();
    let candidates = result.moves.iter().filter(|root| is_candidate(root));
    let nearest = candidates.map(distance).fold(f32::INFINITY, f32::min);
    let weight = |root: &RootMove| {
        let near = is_candidate(root) && distance(root) <= nearest + ADAPTIVE_SLACK;
        if near { root.visits as f32 } else { 0.0 }
    };
    let weights: Vec<f32> = result.moves.iter().map(weight).collect();
    draw(unit, &weights).map_or(result.chosen, |index| result.moves[index].mv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use tablut_search::Proof;

    fn result(moves: &[(&str, f32, f32)]) -> SearchResult {
        let root = |(mv, improved, q): &(&str, f32, f32)| RootMove {
            mv: mv.parse().unwrap(),
            visits: 5,
            prior: *improved,
            q: *q,
            improved: *improved,
            proven: None,
        };
        let moves: Vec<RootMove> = moves.iter().map(root).collect();
        SearchResult {
            chosen: moves[0].mv,
            value: 0.0,
            raw_value: 0.0,
            moves,
            simulations: 5,
            kept_visits: 0,
            evaluations: 5,
            proven: None,
            stop: None,
        }
    }

    #[test]
    fn low_temperatures_play_the_best_and_high_ones_spread() {
        let result = result(&[("d1-d2", 0.8, 0.0), ("d1-d3", 0.15, 0.0), ("d1-d4", 0.05, 0.0)]);
        let share_of_best = |level: &Level| {
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            (0..1000).filter(|_| level.choose(&result, Side::Attackers, &mut rng) == result.chosen).count()
        };
        let counts = ["full", "casual", "beginner", "newcomer"].map(|name| share_of_best(Level::named(name).unwrap()));
        assert!(counts.is_sorted_by(|a, b| a > b), "{counts:?}");
        assert_eq!(counts[0], 1000);
    }

    #[test]
    fn the_adaptive_level_keeps_the_game_close_for_either_side() {
        let open = result(&[("d1-d2", 0.5, 0.9), ("d1-d3", 0.3, 0.1), ("d1-d4", 0.2, -0.7), ("d1-e1", 0.1, 0.05)]);
        let drawn =
            |result: &SearchResult, side| [0.0, 0.3, 0.7, 0.99].map(|unit| adaptive(result, side, unit).to_string());
        assert_eq!(drawn(&open, Side::Defenders), ["d1-e1"; 4], "the other one is 0.05 further from the aim");
        let mut lost = open.clone();
        lost.moves[1].proven = Some(Proof { winner: Some(Side::Defenders), plies: 2, from_history: false });
        lost.moves[3].visits = 3;
        assert_eq!(drawn(&lost, Side::Attackers), ["d1-d4"; 4]);
        let mut near = open;
        near.moves[3].q = 0.08;
        assert_eq!(drawn(&near, Side::Attackers), ["d1-d3", "d1-d3", "d1-e1", "d1-e1"], "both are near");
    }

    #[test]
    fn only_games_from_the_rules_position_have_openings_to_vary() {
        let rules = std::sync::Arc::new(tablut_rules::Rules::named("kvasir").unwrap());
        let search = |game: &Game| Level::named("full").unwrap().search(game);
        let mut game = Game::new(rules.clone(), Side::Attackers);
        assert!(search(&game).puct.temperature > 0.0);
        for mv in ["d1-d2", "e3-d3", "d2-d1", "d3-e3", "d1-d2", "e3-d3"] {
            game.play(mv.parse().unwrap()).unwrap();
        }
        assert_eq!(search(&game), session_search());
        let set_up = Game::from_position(rules, *game.position()).unwrap();
        assert_eq!(search(&set_up), session_search());
    }

    #[test]
    fn to_all_levels_but_the_adaptive_one_a_draw_is_less_than_an_even_game() {
        let rules = std::sync::Arc::new(tablut_rules::Rules::named("kvasir").unwrap());
        let game = Game::new(rules, Side::Attackers);
        for level in &LEVELS {
            let draw = level.search(&game).draw_value.to(Side::Defenders);
            assert_eq!(draw < 0.0, !level.adapts, "{}: {draw}", level.name);
        }
    }

    #[test]
    fn levels_are_found_by_name() {
        assert!(LEVELS.iter().all(|level| Level::named(level.name) == Some(level)));
        assert_eq!(Level::named("grandmaster"), None);
    }
}
