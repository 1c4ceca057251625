//! The computer's side: chooses moves, and says what it thinks of a position.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::sync::Arc;
use tablut_net::{NetError, Weights};
use tablut_players::alphabeta::AlphaBeta;
use tablut_players::{Baseline, NetPlayer, PlayerSpec, SearchLimit, Watch, match_search};
use tablut_rules::{Game, Move, Rules, Side};
use tablut_search::{EvaluateError, Evaluator, Limit, Proof, SearchResult};

/// A player's opinion of a move.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct MoveOpinion {
    /// The move.
    pub mv: Move,
    /// Simulations spent on it; 0 without a tree search.
    pub visits: u32,
    /// The net's probability of the move before any search.
    pub prior: f32,
    /// The chance of an attackers' win less that of a defenders' win after it, from −1 to 1.
    pub value: f32,
    /// Its proven result.
    pub proven: Option<Proof>,
}

/// A player's opinion of a position.
#[derive(Clone, Debug, PartialEq)]
pub enum Opinion {
    /// A net's.
    Net {
        /// The chance of an attackers' win less that of a defenders' win, from −1 to 1, after the search.
        value: f32,
        /// The result, if the search proved it.
        proven: Option<Proof>,
        /// Simulations of the search.
        simulations: u32,
        /// All moves, the best first.
        moves: Vec<MoveOpinion>,
    },
    /// A hand-written engine's.
    Engine {
        /// In hundredths of a defender, positive when the attackers stand better.
        score: i32,
        /// Within how many plies which side wins, if that is proven.
        wins_in_plies: Option<(Side, u32)>,
        /// Plies searched.
        depth: u32,
        /// The moves that share the best score.
        moves: Vec<Move>,
    },
}

impl Opinion {
    /// The move that the player would make.
    pub fn best_move(&self) -> Option<Move> {
        match self {
            Self::Net { moves, .. } => moves.first().map(|opinion| opinion.mv),
            Self::Engine { moves, .. } => moves.first().copied(),
        }
    }
}

/// A net that searches before it moves.
pub struct NetThinker {
    player: NetPlayer,
    simulations: u32,
}

/// Plies at a game's beginning in which the net varies its moves, so that no two games are alike.
const VARIED_PLIES: u32 = 6;

/// In those plies a PUCT search draws its move from visits^(1 / temperature).
const VARIED_TEMPERATURE: f32 = 0.5;

impl NetThinker {
    /// A thinker over any evaluator. With 0 simulations it plays by its policy alone.
    pub fn new(evaluator: Box<dyn Evaluator>, simulations: u32, seed: u64) -> Self {
        Self { player: NetPlayer::new(evaluator, seed), simulations }
    }

    /// A thinker over a net's weights on one CPU thread.
    pub fn from_weights(weights: &Weights, simulations: u32, seed: u64) -> Result<Self, NetError> {
        Ok(Self { player: NetPlayer::from_weights(weights, 1, seed)?, simulations })
    }

    /// Searches the position; `varies` lets chance have a say in the move.
    fn search(&mut self, game: &Game, varies: bool) -> Result<SearchResult, EvaluateError> {
        let mut config = match_search(self.simulations);
        if varies {
            (config.gumbel.gumbel_scale, config.puct.temperature) = (1.0, VARIED_TEMPERATURE);
        }
        self.player.think(game, &config, Limit::of_simulations(self.simulations), &mut |_| Watch::GoOn)
    }
}

/// Any player that a session can have.
pub enum Thinker {
    /// A net.
    Net(NetThinker),
    /// A player without a net.
    Baseline(Baseline),
}

impl Thinker {
    /// The baseline that `spec` names; `None` for a net.
    pub fn baseline(spec: &PlayerSpec, rules: &Arc<Rules>, seed: u64) -> Option<Self> {
        Baseline::new(spec, rules, seed).map(Self::Baseline)
    }

    /// The move for the side to move.
    ///
    /// # Panics
    /// If the game is over.
    pub fn choose(&mut self, game: &Game) -> Result<Move, EvaluateError> {
        match self {
            Self::Baseline(player) => Ok(player.choose(game)),
            Self::Net(net) => Ok(net.search(game, game.ply() < VARIED_PLIES)?.chosen),
        }
    }

    /// What it thinks of the position. A baseline has no opinion of its own: the hand-written engine gives one.
    ///
    /// # Panics
    /// If the game is over.
    pub fn opinion(&mut self, game: &Game) -> Result<Opinion, EvaluateError> {
        match self {
            Self::Baseline(_) => Ok(engine_opinion(game)),
            Self::Net(net) => Ok(net_opinion(&net.search(game, false)?)),
        }
    }
}

/// Plies that the hand-written engine looks ahead for an opinion.
const OPINION_DEPTH: u32 = 4;

/// The hand-written engine's opinion of a game that is not over.
pub fn engine_opinion(game: &Game) -> Opinion {
    let limit = SearchLimit::Depth(OPINION_DEPTH);
    let analysis = AlphaBeta::new(game.rules(), limit, ChaCha8Rng::seed_from_u64(0)).analyse(game);
    let side = game.position().side_to_move();
    let score = match side {
        Side::Attackers => analysis.score,
        Side::Defenders => -analysis.score,
    };
    let wins_in_plies =
        analysis.plies_to_end.map(|plies| (if plies > 0 { side } else { side.opponent() }, plies.unsigned_abs()));
    Opinion::Engine { score, wins_in_plies, depth: analysis.depth, moves: analysis.best }
}

fn net_opinion(result: &SearchResult) -> Opinion {
    let mut ranked: Vec<_> = result.moves.iter().collect();
    ranked.sort_by(|a, b| {
        let key = |root: &tablut_search::RootMove| (root.mv == result.chosen, root.visits);
        key(b).cmp(&key(a)).then(b.improved.total_cmp(&a.improved))
    });
    let opinion = |root: &tablut_search::RootMove| MoveOpinion {
        mv: root.mv,
        visits: root.visits,
        prior: root.prior,
        value: root.q,
        proven: root.proven,
    };
    Opinion::Net {
        value: result.value,
        proven: result.proven,
        simulations: result.simulations,
        moves: ranked.into_iter().map(opinion).collect(),
    }
}
