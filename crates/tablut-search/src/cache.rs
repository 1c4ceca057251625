//! A cache of evaluations with a fixed size. The searches of many games can share it.

use std::sync::Arc;

use tablut_rules::{Position, Rules};

use crate::evaluator::{EvaluateError, Evaluation, Evaluator, Query, check_answers};

/// Everything that an evaluation may depend on.
#[derive(Clone, Debug)]
struct Key {
    position: Position,
    occurrences: u32,
    plies_since_capture: u32,
    rules: Arc<Rules>,
}

impl Key {
    fn of(query: &Query, scope: CacheScope) -> Self {
        Self {
            position: query.position,
            occurrences: query.occurrences,
            plies_since_capture: match scope {
                CacheScope::Exact => query.plies_since_capture,
                CacheScope::WithoutCaptureClock => 0,
            },
            rules: query.rules.clone(),
        }
    }

    /// Equal keys have equal hashes. The hash does not include the rule set; [`Key::equals`] compares it.
    fn hash(&self) -> u64 {
        let counts = u64::from(self.occurrences) << 32 | u64::from(self.plies_since_capture);
        let mixed =
            (self.position.hash() ^ counts.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ mixed >> 32
    }

    /// Compares the whole key, so that two positions with the same hash are never confused.
    fn equals(&self, other: &Key) -> bool {
        self.position == other.position
            && self.occurrences == other.occurrences
            && self.plies_since_capture == other.plies_since_capture
            && (Arc::ptr_eq(&self.rules, &other.rules) || self.rules.set() == other.rules.set())
    }
}

/// The parts of a query that an evaluator reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheScope {
    /// Everything. Correct for every evaluator.
    #[default]
    Exact,
    /// Everything except the plies since the last capture. Correct only for an evaluator that ignores them. With it the
    /// cache finds more positions that were reached by different paths.
    WithoutCaptureClock,
}

/// Hits and misses of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Queries answered from the cache.
    pub hits: u64,
    /// Queries that were not in the cache.
    pub misses: u64,
}

/// A table of fixed size with two slots per hash. A new entry replaces the older of the two. A hit returns exactly the
/// stored evaluation, bit for bit.
#[derive(Debug)]
pub struct EvaluationCache {
    scope: CacheScope,
    /// Pairs of slots, with the newer entry first.
    places: Vec<Option<(Key, Evaluation)>>,
    counts: CacheCounts,
}

impl EvaluationCache {
    /// A cache for at most `n_entries` evaluations. `n_entries` is at least 2 and is rounded down to a power of two. An
    /// evaluation of a position with 80 legal moves takes about 450 bytes.
    pub fn new(n_entries: usize, scope: CacheScope) -> Self {
        let n = n_entries.max(2);
        let n = if n.is_power_of_two() { n } else { n.next_power_of_two() / 2 };
        Self { scope, places: (0..n).map(|_| None).collect(), counts: CacheCounts::default() }
    }

    /// The stored evaluation of the query, if there is one.
    pub fn find(&mut self, query: &Query) -> Option<&Evaluation> {
        let key = Key::of(query, self.scope);
        let start = self.pair(&key);
        let found = (start..start + 2).find(|at| self.places[*at].as_ref().is_some_and(|(of, _)| of.equals(&key)));
        match found {
            Some(_) => self.counts.hits += 1,
            None => self.counts.misses += 1,
        }
        found.and_then(|at| self.places[at].as_ref()).map(|(_, evaluation)| evaluation)
    }

    /// Stores the evaluation of a query.
    pub fn insert(&mut self, query: &Query, evaluation: &Evaluation) {
        let key = Key::of(query, self.scope);
        let start = self.pair(&key);
        if !self.places[start].as_ref().is_some_and(|(of, _)| of.equals(&key)) {
            self.places.swap(start, start + 1);
        }
        self.places[start] = Some((key, evaluation.clone()));
    }

    /// Removes all evaluations, for example because the net has changed. The hit and miss counts stay.
    pub fn clear(&mut self) {
        self.places.fill_with(|| None);
    }

    /// Hits and misses so far.
    pub fn counts(&self) -> CacheCounts {
        self.counts
    }

    /// The number of evaluations that fit into the cache.
    pub fn capacity(&self) -> usize {
        self.places.len()
    }

    fn pair(&self, key: &Key) -> usize {
        (key.hash() as usize % (self.places.len() / 2)) * 2
    }
}

/// An evaluator with a cache. It asks the inner evaluator only for queries that are not in the cache.
#[derive(Debug)]
pub struct CachedEvaluator<E> {
    evaluator: E,
    cache: EvaluationCache,
    missing: Vec<Query>,
}

impl<E> CachedEvaluator<E> {
    /// Adds a cache to an evaluator.
    pub fn new(evaluator: E, cache: EvaluationCache) -> Self {
        Self { evaluator, cache, missing: Vec::new() }
    }

    /// The cache.
    pub fn cache(&self) -> &EvaluationCache {
        &self.cache
    }

    /// The inner evaluator, for example to give it another net. This empties the cache.
    pub fn evaluator_mut(&mut self) -> &mut E {
        self.cache.clear();
        &mut self.evaluator
    }
}

impl<E: Evaluator> Evaluator for CachedEvaluator<E> {
    fn evaluate(&mut self, queries: &[Query]) -> Result<Vec<Evaluation>, EvaluateError> {
        self.missing.clear();
        let mut answers: Vec<Option<Evaluation>> = Vec::with_capacity(queries.len());
        for query in queries {
            let found = self.cache.find(query).cloned();
            if found.is_none() {
                self.missing.push(query.clone());
            }
            answers.push(found);
        }
        let mut evaluated = Vec::new();
        if !self.missing.is_empty() {
            evaluated = self.evaluator.evaluate(&self.missing)?;
            check_answers(&self.missing, &evaluated)?;
            for (query, evaluation) in self.missing.iter().zip(&evaluated) {
                self.cache.insert(query, evaluation);
            }
        }
        let mut evaluated = evaluated.into_iter();
        let answer = |found: Option<Evaluation>| found.or_else(|| evaluated.next());
        Ok(answers.into_iter().map(answer).map(|found| found.expect("one evaluation for each miss")).collect())
    }
}

#[cfg(test)]
mod tests {
    use tablut_rules::{Game, MoveList, Side};

    use super::*;

    /// Counts the queries that it receives. Every query gets a different value, so that a test can distinguish a hit
    /// from an evaluation.
    #[derive(Default)]
    struct Counting {
        asked: u32,
    }

    impl Evaluator for Counting {
        fn evaluate(&mut self, queries: &[Query]) -> Result<Vec<Evaluation>, EvaluateError> {
            let evaluate = |query: &Query| {
                self.asked += 1;
                Evaluation { moves_left: self.asked as f32, ..Evaluation::uniform(query.moves.len()) }
            };
            Ok(queries.iter().map(evaluate).collect())
        }
    }

    fn query(rules: &Arc<Rules>, ply: usize) -> Query {
        let mut game = Game::new(rules.clone(), Side::Attackers);
        let mut moves = MoveList::new();
        for _ in 0..ply {
            game.legal_moves(&mut moves);
            game.play(moves[0]).expect("a legal move");
        }
        game.legal_moves(&mut moves);
        Query {
            rules: rules.clone(),
            position: *game.position(),
            occurrences: 0,
            plies_since_capture: ply as u32,
            moves: moves.to_vec(),
        }
    }

    fn rules(name: &str) -> Arc<Rules> {
        Arc::new(Rules::named(name).expect("a built-in rule set"))
    }

    fn asked(scope: CacheScope, queries: &[Query]) -> u32 {
        let mut cached = CachedEvaluator::new(Counting::default(), EvaluationCache::new(64, scope));
        for query in queries {
            cached.evaluate(std::slice::from_ref(query)).expect("a fake");
        }
        cached.evaluator.asked
    }

    #[test]
    fn a_hit_has_the_bits_that_were_stored_and_asks_nobody() {
        let (kvasir, start) = (rules("kvasir"), 0);
        let queries = [query(&kvasir, start), query(&kvasir, 1)];
        let mut cached = CachedEvaluator::new(Counting::default(), EvaluationCache::new(64, CacheScope::Exact));
        let first = cached.evaluate(&queries).expect("a fake");
        let again = cached.evaluate(&[queries[1].clone(), query(&kvasir, 2), queries[0].clone()]).expect("a fake");
        assert_eq!((&again[0], &again[2]), (&first[1], &first[0]));
        assert_eq!(cached.evaluator.asked, 3);
        assert_eq!(cached.cache().counts(), CacheCounts { hits: 2, misses: 3 });
        cached.evaluator_mut();
        assert!(cached.cache.find(&queries[0]).is_none(), "another net, other evaluations");
    }

    #[test]
    fn everything_that_an_evaluation_may_depend_on_tells_queries_apart() {
        let kvasir = rules("kvasir");
        let base = query(&kvasir, 0);
        let repeated = Query { occurrences: 1, ..base.clone() };
        let later = Query { plies_since_capture: 7, ..base.clone() };
        let other_rules = Query { rules: rules("masters"), ..base.clone() };
        let same_rules = Query { rules: rules("kvasir"), ..base.clone() };
        assert_eq!(asked(CacheScope::Exact, &[base.clone(), repeated, other_rules, later.clone()]), 4);
        assert_eq!(asked(CacheScope::Exact, &[base.clone(), same_rules]), 1);
        assert_eq!(asked(CacheScope::WithoutCaptureClock, &[base, later]), 1);
    }

    #[test]
    fn a_small_cache_stays_small_and_right() {
        let rules = rules("kvasir");
        let mut cache = EvaluationCache::new(3, CacheScope::Exact);
        assert_eq!(cache.capacity(), 2);
        let queries: Vec<Query> = (0..9).map(|ply| query(&rules, ply)).collect();
        for (index, query) in queries.iter().enumerate() {
            let evaluation = Evaluation { moves_left: index as f32, ..Evaluation::default() };
            cache.insert(query, &evaluation);
            assert_eq!(cache.find(query), Some(&evaluation));
        }
        let kept = queries.iter().filter(|query| cache.find(query).is_some()).count();
        assert_eq!(kept, 2, "the two newest");
    }
}
