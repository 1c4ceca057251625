//! Progress of a match on standard error: a bar on a terminal, a line now and then elsewhere.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use tablut_arena::MatchProgress;

use crate::match_tables::{elo_text, sprt_evidence};
use crate::progress::left;

/// The first line of a match without a terminal comes after so long; each further one after twice as long as the one
/// before, up to [`LONGEST_SILENCE`].
const FIRST_SILENCE: Duration = Duration::from_secs(10);
const LONGEST_SILENCE: Duration = Duration::from_mins(5);

/// Progress of one match.
pub struct MatchBar {
    bar: ProgressBar,
    players: String,
    begin: Instant,
    /// Games of an earlier run.
    games_before: usize,
    lines: Mutex<Lines>,
}

impl MatchBar {
    /// Progress of a match between two players, with so many of its games played by an earlier run.
    pub fn new(players: [&str; 2], games_before: usize, games_total: usize) -> Self {
        let bar = ProgressBar::new(games_total as u64).with_position(games_before as u64);
        let style = ProgressStyle::with_template("{prefix} [{bar:20}] {pos}/{len} games, {msg}");
        bar.set_style(style.expect("the template is well formed").progress_chars("=> "));
        let players = format!("{} – {}", players[0], players[1]);
        bar.set_prefix(players.clone());
        bar.set_message("no result yet");
        let begin = Instant::now();
        let lines = Mutex::new(Lines { next: FIRST_SILENCE, silence: FIRST_SILENCE });
        Self { bar, players, begin, games_before, lines }
    }

    /// Shows how far the match is.
    pub fn show(&self, progress: &MatchProgress<'_>) {
        let elapsed = self.begin.elapsed();
        let message = message(progress, self.games_before, elapsed);
        if !self.bar.is_hidden() {
            self.bar.set_position(progress.games_finished as u64);
            self.bar.set_message(message);
        } else if self.lines.lock().expect("no holder of the lines panics").is_due(elapsed) {
            eprintln!("{}: {}/{} games, {message}", self.players, progress.games_finished, progress.games_total);
        }
    }

    /// Writes a line above the bar, or plainly where there is none.
    pub fn line(&self, text: &str) {
        if self.bar.is_hidden() {
            eprintln!("{text}");
        } else {
            self.bar.println(text);
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// When the next line is due.
struct Lines {
    next: Duration,
    silence: Duration,
}

impl Lines {
    fn is_due(&mut self, elapsed: Duration) -> bool {
        if elapsed < self.next {
            return false;
        }
        self.silence = (self.silence * 2).min(LONGEST_SILENCE);
        self.next = elapsed + self.silence;
        true
    }
}

/// The estimate so far, the pace of this run, and the time left.
fn message(progress: &MatchProgress<'_>, games_before: usize, elapsed: Duration) -> String {
    let mut parts = Vec::new();
    let pairs = progress.tally.pentanomial();
    if pairs.pairs() > 0 {
        let score = pairs.estimate();
        parts.push(format!("score {:.1} % ({:.1}–{:.1})", 100.0 * score.mean, 100.0 * score.low, 100.0 * score.high));
        parts.push(format!("Elo {}", elo_text(&score.into())));
    }
    if let Some(state) = progress.tally.sprt() {
        parts.push(sprt_evidence(&state));
    }
    let seconds = elapsed.as_secs_f64().max(1e-3);
    let here = progress.games_finished - games_before;
    let rest = progress.games_total - progress.games_finished;
    parts.push(format!("{:.1} games/s", here as f64 / seconds));
    parts.push(format!("{} left", left(seconds, here as u64, (here + rest) as u64)));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_arena::{GameResult, Tally};
    use tablut_players::Ending;
    use tablut_ratings::SprtBounds;
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
        assert_eq!(early, "2.0 games/s, 20 s left");
        let mut tally = Tally::with_test(Some(SprtBounds::default()));
        for _ in 0..20 {
            tally.record_pair(&game, &won_by(Side::Attackers));
            tally.record_pair(&game, &won_by(Side::Defenders));
        }
        let later = message(&progress(&tally), 40, Duration::from_secs(10));
        assert!(later.starts_with("score 75.0 % (") && later.contains("Elo +191 (+"), "{later}");
        assert!(later.contains("evidence") && later.ends_with("2.0 games/s, 20 s left"), "{later}");
    }

    #[test]
    fn lines_become_rare() {
        let mut lines = Lines { next: FIRST_SILENCE, silence: FIRST_SILENCE };
        let due: Vec<u64> = (0..2000).filter(|&second| lines.is_due(Duration::from_secs(second))).collect();
        assert_eq!(due, [10, 30, 70, 150, 310, 610, 910, 1210, 1510, 1810]);
    }
}
