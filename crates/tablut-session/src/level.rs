//! Levels of play: how many simulations the computer uses, and how much it varies its moves.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use serde::Serialize;
use serde_json::Value;
use tablut_rules::{Game, Move, Side};
use tablut_search::{DrawValues, RootMove, SearchConfig, SearchResult, Solver, formulas::sampling::draw, turned};

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Level {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    #[serde(skip)]
    pub simulations: u32,
    /// The temperature of the choice of moves: 0 plays the best move, 1 draws by the search's policy.
    #[serde(skip)]
    pub temperature: f32,
    #[serde(skip)]
    pub solver: Solver,
    /// For a level that keeps games close instead of playing to win: the least and the largest ease. The ease is how often,
    /// in percent, it plays a weak move in an even game; less than 0 is how often it plays its best move. It follows the
    /// results of the person's games.
    pub eases: Option<(i16, i16)>,
    /// The part of the chances, 0 to 1, that a blunder gives away in a game against it.
    #[serde(skip)]
    pub blunder: f32,
}

/// The smallest ease of a player, in percent: always the best move.
pub(crate) const MIN_EASE: i16 = -150;
/// The largest ease of a player, in percent.
pub(crate) const MAX_EASE: i16 = 200;

/// All levels, the weakest first. The adaptive one is last.
pub const LEVELS: [Level; 8] = [
    // Name, title, description, simulations, temperature, solver, blunder.
    level("newcomer", "Newcomer", "Knows little more than how the pieces move.", 128, 0.0, Solver::Deep, 0.4)
        .keeping_close(30),
    level("beginner", "Beginner", "Often moves without a plan, and lets wins slip.", 128, 0.0, Solver::Deep, 0.4)
        .keeping_close(10),
    level("casual", "Casual", "Plays sensible moves without looking ahead.", 0, 0.6, Solver::Off, 0.3),
    level("club", "Club player", CLUB, 32, 0.5, Solver::Threats, 0.2),
    level("strong", "Strong", "Calculates short lines exactly.", 128, 0.0, Solver::Deep, 0.15),
    level("expert", "Expert", "Looks further ahead and misses little.", 800, 0.0, Solver::Deep, 0.1),
    level("full", "Full strength", "Searches for about a second per move.", 6000, 0.0, Solver::Deep, 0.1),
    level("adaptive", "Adaptive", ADAPTIVE, 800, 0.0, Solver::Deep, 0.2).keeping_close(MIN_EASE),
];

const CLUB: &str = "Looks a little ahead, sees threats, and still varies its moves.";
const ADAPTIVE: &str = "Plays as well as you do: it looks ahead, then chooses moves that keep the game close.";

const fn level(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    simulations: u32,
    temperature: f32,
    solver: Solver,
    blunder: f32,
) -> Level {
    Level { name, title, description, simulations, temperature, solver, eases: None, blunder }
}

/// The net of the measurement and the ratings of the levels, one line of JSON each. `experiments/levels` describes the measurement.
const RATINGS: &str = include_str!("level_ratings.jsonl");

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelInfo {
    #[serde(flatten)]
    pub level: Level,
    /// Its rank by strength among the levels, from 1. 0 for the adaptive level, whose strength follows its opponent.
    pub stars: usize,
    /// The rule set `rules` of the measurement and, for `attackers` and `defenders`, the rating `elo` with its 95 %
    /// interval from `low` to `high`, and the number of `games`. `null` for a level that was not measured.
    pub ratings: Value,
}

pub(crate) fn level_infos() -> Vec<LevelInfo> {
    let ratings = RATINGS.lines().map(|line| serde_json::from_str(line).expect("the file is valid JSON"));
    let ratings: Vec<Value> = ratings.collect();
    let info = |(place, level): (usize, &Level)| {
        let rating = ratings.iter().find(|rating| rating["level"] == level.name);
        LevelInfo {
            level: *level,
            stars: if level.adapts() { 0 } else { place + 1 },
            ratings: rating.cloned().unwrap_or_default(),
        }
    };
    LEVELS.iter().enumerate().map(info).collect()
}

/// The plies at the beginning of a game in which all levels vary their moves, so that games differ.
const VARIED_PLIES: u32 = 6;
/// In these plies a PUCT search draws its move from visits^(1 / temperature).
const VARIED_TEMPERATURE: f32 = 0.5;
pub(crate) const MAX_NODES: u32 = 60_000;
/// Levels with fewer simulations answer before other workers could help.
const SHARED_FROM: u32 = 2000;
/// The value that the adaptive level aims at, from its own point of view.
const ADAPTIVE_AIM: f32 = 0.05;
/// The change of the ease, in percent, after a person's first game.
const FIRST_STEP: f64 = 60.0;
/// What a won position adds to the probability of a weak move.
const VALUE_WEIGHT: f32 = 0.5;
/// The adaptive level does not play moves whose prior is less than this share of the largest prior.
const ADAPTIVE_SHARE: f32 = 0.04;
/// The adaptive level does not play moves with fewer visits, because their values are inaccurate.
const ADAPTIVE_VISITS: u32 = 4;
/// The adaptive level draws among the candidates whose distance from its aim is at most this much above the smallest.
const ADAPTIVE_SLACK: f32 = 0.04;

pub fn session_search() -> SearchConfig {
    SearchConfig { max_nodes: MAX_NODES, ..SearchConfig::for_play() }
}

/// The search of analyses. It finds values for all moves, not only the best move.
pub(crate) fn analysis_search() -> SearchConfig {
    SearchConfig { max_nodes: MAX_NODES, ..SearchConfig::for_analysis() }
}

/// Makes a search vary its moves in the first plies of a game from the usual start position.
pub fn vary_opening(config: &mut SearchConfig, game: &Game) {
    let start = game.start();
    if game.ply() < VARIED_PLIES && *start == game.rules().start(start.side_to_move()) {
        (config.gumbel.noise, config.puct.temperature) = (true, VARIED_TEMPERATURE);
    }
}

impl Level {
    const fn keeping_close(mut self, least: i16) -> Self {
        self.eases = Some((least, MAX_EASE));
        self
    }

    /// Whether it becomes as strong as the person.
    pub fn adapts(&self) -> bool {
        self.eases.is_some_and(|(least, _)| least < 0)
    }

    /// The ease after the person's game of this number, from 0, in which the person got `points`. The first ease is 0.
    pub fn next_ease(&self, ease: i16, number: usize, points: f64) -> i16 {
        let Some((least, most)) = self.eases else { return ease };
        let step = FIRST_STEP / (1.0 + number as f64 / 4.0).sqrt();
        let moved = f64::from(ease.clamp(least, most)) + 2.0 * step * (0.5 - points);
        moved.round().clamp(f64::from(least), f64::from(most)) as i16
    }

    pub fn named(name: &str) -> Option<&'static Self> {
        LEVELS.iter().find(|level| level.name == name)
    }

    pub fn names() -> String {
        LEVELS.map(|level| level.name).join(", ")
    }

    pub fn search(&self, game: &Game) -> SearchConfig {
        let mut config = session_search();
        config.solver = self.solver;
        if self.eases.is_some() {
            // It aims at an even game, so a draw must count as even.
            config.draw_value = DrawValues::default();
        }
        if self.temperature == 0.0 {
            vary_opening(&mut config, game);
        }
        config
    }

    /// Whether its searches are so long that a host with several workers should share them. A search that varies the
    /// opening is not shared, because it draws its move by its own visits.
    pub(crate) fn is_shared(&self, config: &SearchConfig) -> bool {
        self.simulations >= SHARED_FROM && config.puct.temperature == 0.0
    }

    /// The move of `side` after a search. `ease` is for levels that keep games close, and is limited to theirs.
    pub fn choose(&self, result: &SearchResult, side: Side, ease: i16, rng: &mut ChaCha8Rng) -> Move {
        if let Some((least, most)) = self.eases {
            return close(result, side, ease.clamp(least, most), rng);
        }
        if self.temperature <= 0.0 {
            return result.chosen;
        }
        let power = 1.0 / self.temperature;
        let weights: Vec<f32> = result.moves.iter().map(|root| root.improved.powf(power)).collect();
        draw(rng.random(), &weights).map_or(result.chosen, |index| result.moves[index].mv)
    }
}

/// The move of a level that keeps games close. Its weakness is the ease plus half the value for `side`, from −1 to 1, so that a
/// game that it wins becomes even again. With this probability the move is weak. If the weakness is less than 0, the move is the
/// best one with the probability −weakness. All other moves keep the value near even.
fn close(result: &SearchResult, side: Side, ease: i16, rng: &mut ChaCha8Rng) -> Move {
    let weakness = f32::from(ease) / 100.0 + VALUE_WEIGHT * turned(result.value, side);
    if rng.random::<f32>() < weakness {
        return weak(result, side, weakness - 1.0, rng);
    }
    if rng.random::<f32>() < -weakness { result.chosen } else { near_even(result, side, rng.random()) }
}

/// Any move that is not known to win, or with probability `worst` the worst one.
fn weak(result: &SearchResult, side: Side, worst: f32, rng: &mut ChaCha8Rng) -> Move {
    let wins = |root: &&RootMove| root.proven.is_some_and(|proof| proof.winner == Some(side));
    let moves: Vec<&RootMove> = result.moves.iter().filter(|root| !wins(root)).collect();
    let value = |root: &&&RootMove| turned(root.q, side);
    let worst =
        if rng.random::<f32>() < worst { moves.iter().min_by(|a, b| value(a).total_cmp(&value(b))) } else { None };
    let any = || moves.get(rng.random_range(0..moves.len().max(1)));
    worst.or_else(any).map_or(result.chosen, |root| root.mv)
}

/// A move whose value for `side` is close to even, drawn in proportion to the visits by `unit` from [0, 1). Proven wins
/// are far from even. Moves into a proven loss are played only if there are no others.
fn near_even(result: &SearchResult, side: Side, unit: f64) -> Move {
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
    use tablut_search::{Chances, Proof};

    fn result(moves: &[(&str, f32, f32)]) -> SearchResult {
        let root = |(mv, improved, q): &(&str, f32, f32)| RootMove {
            mv: mv.parse().unwrap(),
            visits: 5,
            prior: *improved,
            q: *q,
            chances: Chances::new(*q, 0.0),
            improved: *improved,
            proven: None,
        };
        let moves: Vec<RootMove> = moves.iter().map(root).collect();
        SearchResult {
            chosen: moves[0].mv,
            value: 0.0,
            chances: Chances::new(0.0, 0.0),
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
            (0..1000).filter(|_| level.choose(&result, Side::Attackers, 0, &mut rng) == result.chosen).count()
        };
        let counts = ["full", "club", "casual"].map(|name| share_of_best(Level::named(name).unwrap()));
        assert!(counts.is_sorted_by(|a, b| a > b), "{counts:?}");
        assert_eq!(counts[0], 1000);
    }

    #[test]
    fn an_easier_level_more_often_lets_a_won_game_slip() {
        let kept = |ease: i16, value: f32| {
            let mut won = result(&[("d1-d2", 0.6, 0.9), ("d1-d3", 0.3, 0.5), ("d1-d4", 0.1, -0.9)]);
            won.value = value;
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let adaptive = Level::named("adaptive").unwrap();
            (0..1000).filter(|_| adaptive.choose(&won, Side::Attackers, ease, &mut rng) == won.chosen).count()
        };
        assert_eq!(kept(MIN_EASE, 0.9), 1000, "the best move");
        assert_eq!(kept(MAX_EASE, 0.9), 0, "the worst move");
        assert!((200..500).contains(&kept(50, 0.9)), "any move, mostly");
        assert!(kept(-50, -0.9) > kept(-50, 0.9), "it resists when it is behind");
    }

    #[test]
    fn results_move_the_ease_towards_even_games_in_smaller_and_smaller_steps() {
        let next = |name, ease, number, points| Level::named(name).unwrap().next_ease(ease, number, points);
        assert_eq!([1.0, 0.0, 0.5].map(|points| next("adaptive", 0, 0, points)), [-60, 60, 0]);
        assert_eq!(next("adaptive", 0, 12, 0.0), 30);
        assert_eq!([next("adaptive", MIN_EASE, 0, 1.0), next("adaptive", MAX_EASE, 0, 0.0)], [MIN_EASE, MAX_EASE]);
        assert_eq!([next("newcomer", 0, 0, 1.0), next("newcomer", 0, 0, 0.0)], [30, 90]);
        assert_eq!(next("club", 0, 0, 0.0), 0);
    }

    #[test]
    fn a_level_at_an_ease_keeps_the_game_close_for_either_side() {
        let open = result(&[("d1-d2", 0.5, 0.9), ("d1-d3", 0.3, 0.1), ("d1-d4", 0.2, -0.7), ("d1-e1", 0.1, 0.05)]);
        let drawn =
            |result: &SearchResult, side| [0.0, 0.3, 0.7, 0.99].map(|unit| near_even(result, side, unit).to_string());
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
    fn workers_share_the_longest_search_but_not_a_varied_opening() {
        let rules = std::sync::Arc::new(tablut_rules::Rules::named("kvasir").unwrap());
        let start = Game::new(rules.clone(), Side::Attackers);
        let mut later = Game::from_position(rules, *start.position()).unwrap();
        for mv in ["d1-d2", "e3-d3", "d2-d1", "d3-e3", "d1-d2", "e3-d3"] {
            later.play(mv.parse().unwrap()).unwrap();
        }
        let shared = |game: &Game| {
            LEVELS.iter().filter(|level| level.is_shared(&level.search(game))).map(|l| l.name).collect::<Vec<_>>()
        };
        assert_eq!(shared(&start), [""; 0]);
        assert_eq!(shared(&later), ["full"]);
    }

    #[test]
    fn to_all_levels_that_play_to_win_a_draw_is_less_than_an_even_game() {
        let rules = std::sync::Arc::new(tablut_rules::Rules::named("kvasir").unwrap());
        let game = Game::new(rules, Side::Attackers);
        for level in &LEVELS {
            let draw = level.search(&game).draw_value.to(Side::Defenders);
            assert_eq!(draw < 0.0, level.eases.is_none(), "{}: {draw}", level.name);
        }
    }

    #[test]
    fn levels_are_found_by_name() {
        assert!(LEVELS.iter().all(|level| Level::named(level.name) == Some(level)));
        assert_eq!(Level::named("grandmaster"), None);
    }
}
