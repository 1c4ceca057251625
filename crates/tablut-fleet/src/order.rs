//! Orders: the games of one generation or of one match, which are handed out to workers.

use std::sync::Arc;

use tablut_arena::{MatchConfig, MatchGame, MatchHeader, MatchPlan, Opening};
use tablut_games::{GameOrder, GameRecord, Handicap, LeafRequest, SelfPlayGame, Task};
use tablut_net::{NetPool, Weights};
use tablut_players::{Contestant, NamedPlayer, NetSearch, PlayerError, PlayerSpec, net_of};
use tablut_rules::Rules;
use tablut_search::Evaluation;

use crate::error::FleetError;
use crate::wire::{NetSpec, OrderSpec, OrderedPlayer, WIRE_VERSION, WorkSpec};

/// Games for workers, with everything that determines them.
#[derive(Clone, Debug)]
pub struct Order {
    /// The order in the form of messages.
    pub spec: OrderSpec,
    /// The nets that the games use, in the order of the evaluators.
    pub nets: Vec<Arc<Weights>>,
    pub work: OrderedWork,
}

/// The games of a generation or of a match.
#[derive(Clone, Debug)]
pub enum OrderedWork {
    SelfPlay(Box<GameOrder>),
    Match(Box<OrderedMatch>),
}

/// The games of one match, or some of them. In games with an even index the first player has the attackers.
#[derive(Clone, Debug)]
pub struct OrderedMatch {
    /// Rules, players, limit and seed. Players refer to evaluators by the indices of the order's nets.
    pub plan: MatchPlan,
    /// The openings of its pairs, from pair `first_pair` on.
    pub openings: Vec<Opening>,
    /// The first pair whose opening is known. It is 0 at the trainer.
    pub first_pair: usize,
}

impl OrderedMatch {
    /// The opening of game `index`, if it is known.
    pub fn opening(&self, index: usize) -> Option<&Opening> {
        self.openings.get((index / 2).checked_sub(self.first_pair)?)
    }
}

/// A player in the form of messages. Its net, if it has one, is added to `nets` unless it is there.
fn ordered(named: &NamedPlayer, pool: &NetPool, nets: &mut Vec<Arc<Weights>>) -> Result<OrderedPlayer, FleetError> {
    let unfit = |reason: &str| {
        let name = named.name();
        FleetError::Setup(format!(
            "player {name} cannot play on other machines: {reason}; expected nets by simulations, such as \
             net:FILE@64, and players without a net"
        ))
    };
    if !named.spec.is_reproducible() {
        return Err(unfit("it has a time limit, or is an external program"));
    }
    let Some((search, pooled)) = NetSearch::of(&named.spec, pool).zip(net_of(&named.spec, pool)) else {
        return match Contestant::baseline(named.name(), &named.spec) {
            Some(_) => Ok(OrderedPlayer::Baseline { player: named.spec.to_string() }),
            None => Err(unfit("its model file was not loaded")),
        };
    };
    let net = nets.iter().position(|known| Arc::ptr_eq(known, &pooled.weights)).unwrap_or_else(|| {
        nets.push(Arc::clone(&pooled.weights));
        nets.len() - 1
    });
    Ok(OrderedPlayer::Net { net, limit: search.limit, search: search.config })
}

/// The players of a match, which use `n_nets` nets.
fn contestants(players: &[OrderedPlayer; 2], n_nets: usize) -> Result<[Contestant; 2], FleetError> {
    let wrong = |reason: String| FleetError::message("job", reason);
    let contestant = |player: &OrderedPlayer| match player {
        OrderedPlayer::Baseline { player } => {
            let spec: PlayerSpec = player.parse().map_err(|error| wrong(format!("{error}")))?;
            let baseline = Contestant::baseline(player.clone(), &spec).filter(|_| spec.is_reproducible());
            baseline.ok_or_else(|| wrong(format!("player {player} cannot play on a worker")))
        }
        OrderedPlayer::Net { net, limit, search } if *net < n_nets && limit.is_reproducible() => {
            let search = NetSearch { evaluator: *net, limit: *limit, config: search.clone() };
            Ok(Contestant::net(format!("net {net}"), search))
        }
        OrderedPlayer::Net { net, limit, .. } => Err(wrong(format!("net {net} of {n_nets} with a limit of {limit}"))),
    };
    let [first, second] = players;
    Ok([contestant(first)?, contestant(second)?])
}

/// The handicaps of the rule sets' games, checked.
fn handicaps(sets: &[Handicap], n_sets: usize) -> Result<Vec<Handicap>, FleetError> {
    if !sets.is_empty() && sets.len() != n_sets {
        let reason = format!("handicaps of {} rule sets, expected {n_sets}", sets.len());
        return Err(FleetError::message("job", reason));
    }
    let at_least_one = |set: &Handicap| Handicap { simulations: set.simulations.map(|both| both.map(|n| n.max(1))) };
    Ok(sets.iter().map(at_least_one).collect())
}

impl Order {
    /// The games of a generation of `run`.
    pub fn of_generation(run: &str, order: GameOrder) -> Self {
        let nets = vec![Arc::clone(&order.weights)];
        let spec = OrderSpec {
            version: WIRE_VERSION,
            run: run.to_owned(),
            generation: order.generation,
            games: order.games,
            seed: order.seed,
            rules: order.rules.iter().map(|rules| rules.set().clone()).collect(),
            nets: nets.iter().map(NetSpec::of).collect(),
            work: WorkSpec::SelfPlay {
                selfplay: order.selfplay.clone(),
                search: order.search.clone(),
                simulations: order.simulations,
                sets: order.handicaps.clone(),
            },
        };
        Self { spec, nets, work: OrderedWork::SelfPlay(Box::new(order)) }
    }

    /// Match `number` of the tournament `run`: the match of `players` that `config` describes. Programs and players with
    /// a time limit cannot play on other machines.
    pub fn of_match(
        run: &str,
        number: u64,
        config: &MatchConfig,
        players: [&NamedPlayer; 2],
        pool: &NetPool,
        openings: &[Opening],
    ) -> Result<Self, FleetError> {
        let mut nets = Vec::new();
        let [first, second] = players;
        let players = [ordered(first, pool, &mut nets)?, ordered(second, pool, &mut nets)?];
        let plan = config.plan(contestants(&players, nets.len())?);
        let max_plies = config.max_plies;
        let spec = OrderSpec {
            version: WIRE_VERSION,
            run: run.to_owned(),
            generation: number,
            games: 2 * config.n_pairs,
            seed: config.seed,
            rules: vec![config.rules.set().clone()],
            nets: nets.iter().map(NetSpec::of).collect(),
            work: WorkSpec::Match { players, max_plies, openings: MatchHeader::hash_of(openings) },
        };
        let games = OrderedMatch { plan, openings: openings.to_vec(), first_pair: 0 };
        Ok(Self { spec, nets, work: OrderedWork::Match(Box::new(games)) })
    }

    /// The order of a message, with its nets, and the openings of the pairs from `first_pair` on.
    pub fn open(
        spec: OrderSpec,
        nets: Vec<Arc<Weights>>,
        openings: &[Opening],
        first_pair: usize,
    ) -> Result<Self, FleetError> {
        for (net, weights) in spec.nets.iter().zip(&nets) {
            if weights.architecture() != net.architecture {
                let (found, expected) = (weights.architecture(), net.architecture);
                return Err(FleetError::message("job", format!("a net of shape {found}, expected {expected}")));
            }
        }
        let rules = spec.compiled_rules()?;
        let work = match &spec.work {
            WorkSpec::SelfPlay { selfplay, search, simulations, sets } => {
                let [weights] = &nets[..] else {
                    return Err(FleetError::message("job", format!("{} nets, expected 1", nets.len())));
                };
                OrderedWork::SelfPlay(Box::new(GameOrder {
                    seed: spec.seed,
                    generation: spec.generation,
                    games: spec.games,
                    handicaps: handicaps(sets, rules.len())?,
                    rules,
                    selfplay: selfplay.clone(),
                    search: search.clone(),
                    simulations: *simulations,
                    weights: Arc::clone(weights),
                }))
            }
            WorkSpec::Match { players, max_plies, .. } => {
                let contestants = contestants(players, nets.len())?;
                let rules = Arc::clone(&rules[0]);
                let plan = MatchPlan { rules, contestants, max_plies: *max_plies, seed: spec.seed };
                OrderedWork::Match(Box::new(OrderedMatch { plan, openings: openings.to_vec(), first_pair }))
            }
        };
        Ok(Self { spec, nets, work })
    }

    /// The rules of game number `index`.
    pub fn rules_of(&self, index: usize) -> &Arc<Rules> {
        match &self.work {
            OrderedWork::SelfPlay(order) => order.rules_of(index),
            OrderedWork::Match(games) => &games.plan.rules,
        }
    }

    /// The ply limit of game number `index`.
    pub fn max_plies(&self, index: usize) -> u32 {
        match &self.work {
            OrderedWork::SelfPlay(order) => order.selfplay.max_plies_on(order.rules_of(index).size()),
            OrderedWork::Match(games) => games.plan.max_plies,
        }
    }

    /// Game number `index`. `None` if it is a game of a match whose opening is not known.
    pub fn game(&self, index: usize) -> Option<OrderedGame> {
        Some(match &self.work {
            OrderedWork::SelfPlay(order) => OrderedGame::SelfPlay(Box::new(order.game(index))),
            OrderedWork::Match(games) => OrderedGame::Match(Box::new(games.plan.game(games.opening(index)?, index))),
        })
    }

    /// The openings for a job of `count` games from `first` on. Empty for self-play.
    pub fn openings_of(&self, first: usize, count: usize) -> Vec<Opening> {
        let OrderedWork::Match(games) = &self.work else { return Vec::new() };
        let pairs = first / 2..(first + count).div_ceil(2);
        pairs.filter_map(|pair| games.opening(2 * pair)).cloned().collect()
    }
}

/// A game of an order that is being played.
pub enum OrderedGame {
    SelfPlay(Box<SelfPlayGame>),
    Match(Box<MatchGame>),
}

impl Task for OrderedGame {
    type Output = GameRecord;
    type Error = PlayerError;

    fn gather(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Option<GameRecord>, PlayerError> {
        match self {
            Self::SelfPlay(game) => game.gather(requests).map_err(|never| match never {}),
            Self::Match(game) => game.gather(requests),
        }
    }

    fn apply(&mut self, evaluations: &[Evaluation]) {
        match self {
            Self::SelfPlay(game) => game.apply(evaluations),
            Self::Match(game) => game.apply(evaluations),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Job, job_subject, read_job_subject, read_result_subject, result_subject};
    use tablut_games::SelfPlayConfig;
    use tablut_search::SelfPlaySearch;

    fn order() -> GameOrder {
        let search = SelfPlaySearch { c_scale: 0.1 + 0.2, ..SelfPlaySearch::default() };
        GameOrder {
            seed: 7,
            generation: 3,
            games: 20,
            rules: Rules::names().map(|name| Arc::new(Rules::named(name).unwrap())).collect(),
            selfplay: SelfPlayConfig { balance: 1.0 / 3.0, ..SelfPlayConfig::default() },
            search,
            simulations: 64,
            weights: Arc::new(Weights::initial(&"lines32x1".parse().unwrap(), 3)),
            handicaps: Vec::new(),
        }
    }

    /// An order with unequal searches.
    fn special_order() -> GameOrder {
        let order = order();
        let mut handicaps = vec![Handicap::default(); order.rules.len()];
        handicaps[1] = Handicap { simulations: Some([30, 2]) };
        GameOrder { handicaps, ..order }
    }

    #[test]
    fn a_job_comes_back_as_it_was_sent() {
        let order = order();
        let spec = Order::of_generation("run", order.clone()).spec;
        let openings = Vec::new();
        let job = Job { order: spec.clone(), first: 4, count: 2, openings, probe: "p".to_owned(), fleet_threads: 8 };
        let back = Job::from_bytes(&job.to_bytes()).unwrap();
        assert_eq!(back, job);
        assert_eq!(back.order.id(), spec.id());
        let opened = Order::open(back.order, vec![order.weights.clone()], &[], 0).unwrap();
        let OrderedWork::SelfPlay(opened) = opened.work else { panic!("self-play") };
        assert_eq!(Order::of_generation("run", *opened).spec, spec);
        let subject = job_subject(&spec, 4, 2);
        assert_eq!(read_job_subject(&subject), Some((3, spec.id().as_str(), 4, 2)));
        assert_eq!(read_result_subject(&result_subject(&spec)), Some((3, spec.id().as_str())));
    }

    #[test]
    fn so_does_one_of_special_games() {
        let order = special_order();
        let nets = [order.weights.clone()];
        let spec = Order::of_generation("run", order.clone()).spec;
        let json = serde_json::to_vec(&spec).unwrap();
        let back: OrderSpec = serde_json::from_slice(&json).unwrap();
        assert_eq!(back, spec);
        let opened = Order::open(back, nets.to_vec(), &[], 0).unwrap();
        let OrderedWork::SelfPlay(opened) = opened.work else { panic!("self-play") };
        assert_eq!(opened.handicaps, order.handicaps);
        let error = Order::open(spec.clone(), Vec::new(), &[], 0).unwrap_err().to_string();
        assert!(error.contains("0 nets, expected 1"), "{error}");
        let mut short = spec.clone();
        let WorkSpec::SelfPlay { sets, .. } = &mut short.work else { panic!("self-play") };
        sets.pop();
        let error = Order::open(short, nets.to_vec(), &[], 0).unwrap_err().to_string();
        assert!(error.contains("handicaps of 19 rule sets, expected 20"), "{error}");
    }

    #[test]
    fn jobs_that_make_no_sense_are_refused() {
        let spec = Order::of_generation("run", order()).spec;
        let refusal = |change: &dyn Fn(&mut Job)| {
            let (order, openings, probe) = (spec.clone(), Vec::new(), String::new());
            let mut job = Job { order, first: 0, count: 1, openings, probe, fleet_threads: 1 };
            change(&mut job);
            Job::from_bytes(&job.to_bytes()).unwrap_err().to_string()
        };
        assert!(
            refusal(&|job| job.order.version = 99).contains("version 99 of the protocol, this program uses version")
        );
        assert!(refusal(&|job| job.count = 0).contains("0 games from game 0 on, of 20"));
        assert!(refusal(&|job| job.first = 20).contains("1 games from game 20 on, of 20"));
        assert!(refusal(&|job| job.first = usize::MAX).contains("of 20"));
        let other = Arc::new(Weights::initial(&"lines32x2".parse().unwrap(), 3));
        assert!(
            Order::open(spec.clone(), vec![other], &[], 0)
                .unwrap_err()
                .to_string()
                .contains("a net of shape lines32x2, expected lines32x1")
        );
    }
}
