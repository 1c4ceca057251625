//! Progress of a match on standard error: a bar on a terminal, a line now and then elsewhere.

use std::time::{Duration, Instant};

use tablut_arena::MatchProgress;

use crate::console::Voice;
use crate::match_tables::{elo_text, test_evidence};
use crate::progress::{Progress, left};

/// Progress of one match.
pub struct MatchBar {
    progress: Progress,
    begin: Instant,
    /// Games of an earlier run.
    games_before: usize,
}

impl MatchBar {
    /// Progress of a match between two players, with so many of its games played by an earlier run.
    pub fn new(voice: Voice, players: [&str; 2], games_before: usize, games_total: usize) -> Self {
        let what = format!("{} – {}", players[0], players[1]);
        let progress = Progress::new(voice, what, "games", games_before as u64, games_total as u64);
        Self { progress, begin: Instant::now(), games_before }
    }

    /// Shows how far the match is, and what is to be said of its workers.
    pub fn show(&self, progress: &MatchProgress<'_>, workers: Option<String>) {
        let mut message = message(progress, self.games_before, self.begin.elapsed());
        message.extend(workers.map(|workers| format!("\n{workers}")));
        self.progress.show(progress.games_finished as u64, &message);
    }

    /// Says a line, above the bar where there is one.
    pub fn say(&self, line: &str) {
        self.progress.say(line);
    }
}

/// The pace of this run, the time left, and the estimate so far.
fn message(progress: &MatchProgress<'_>, games_before: usize, elapsed: Duration) -> String {
    let here = progress.games_finished - games_before;
    let rest = progress.games_total - progress.games_finished;
    let pace = here as f64 / elapsed.as_secs_f64().max(1e-3);
    let left = left(elapsed, here as u64, (here + rest) as u64);
    let mut lines = vec![format!("{pace:.1} games/s, {left} left")];
    let pairs = progress.tally.pentanomial();
    if pairs.pairs() > 0 {
        let score = pairs.estimate();
        let [mean, low, high] = [score.mean, score.low, score.high].map(|share| 100.0 * share);
        lines.push(format!("score {mean:.1} % ({low:.1}–{high:.1}), Elo {}", elo_text(&score.into())));
    }
    lines.extend(progress.tally.test().map(|state| test_evidence(&state)));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_arena::{GameResult, Tally};
    use tablut_players::Ending;
    use tablut_ratings::TestBounds;
    use tablut_rules::{Outcome, Reason, Side};

    fn won_by(winner: Side) -> GameResult {
        let outcome = Outcome { winner: Some(winner), reason: Reason::NoMoves };
        GameResult { first: Side::Attackers, moves: Vec::new(), ending: Ending::Rules(outcome) }
    }

    #[test]
    fn the_message_gives_estimate_pace_and_time_left() {
        let game = won_by(Side::Attackers);
        let progress = |tally| MatchProgress { game_idx: 0, game: &game, games_finished: 60, games_total: 100, tally };
        let none = Tally::default();
        let early = message(&progress(&none), 40, Duration::from_secs(10));
        assert_eq!(early, "2.0 games/s, 20 seconds left");
        let mut tally = Tally::with_test(Some(TestBounds::default()));
        for _ in 0..20 {
            tally.record_pair(&game, &won_by(Side::Attackers));
            tally.record_pair(&game, &won_by(Side::Defenders));
        }
        let later = message(&progress(&tally), 40, Duration::from_secs(10));
        assert!(
            later.starts_with("2.0 games/s, 20 seconds left\nscore 75.0 % (") && later.contains("Elo +191 (+"),
            "{later}"
        );
        assert!(later.contains("evidence") && later.lines().count() == 3, "{later}");
    }
}
