//! Draws the dashboard: bars at the top, curves on the left, sides and ladder on the right, messages at the bottom.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize as _};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Block, Borders, Cell, Chart, Dataset, Gauge, GraphType, Paragraph, Row, Table};
use tablut_games::GenerationMetrics;
use tablut_ratings::Rating;
use tablut_report::figures::{count, duration, percent, short, signed};
use tablut_rules::Results;

use crate::run_progress::RunProgress;

const ATTACKERS: Color = Color::Red;
const DEFENDERS: Color = Color::Blue;

/// A table with fewer columns of the terminal than this has fewer columns of its own.
const NARROW: u16 = 38;

/// A curve's name, colour and points.
type Curve<'a> = (&'a str, Color, &'a [(f64, f64)]);

pub fn draw(frame: &mut Frame<'_>, state: &RunProgress) {
    let [top, middle, bottom, keys] = Layout::vertical([
        Constraint::Length(5),
        Constraint::Min(8),
        Constraint::Length(message_rows(frame.area().height)),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    bars(frame, top, state);
    let [left, right] = Layout::horizontal([Constraint::Percentage(56), Constraint::Percentage(44)]).areas(middle);
    let [losses, balance] = Layout::vertical([Constraint::Fill(1), Constraint::Fill(1)]).areas(left);
    let curve = |value: fn(&GenerationMetrics) -> f64| -> Vec<(f64, f64)> {
        state.history.iter().map(|line| (line.generation as f64, value(line))).collect()
    };
    let policy = curve(|line| f64::from(line.learning.loss.policy - line.learning.loss.policy_floor));
    let value = curve(|line| f64::from(line.learning.loss.value));
    chart(
        frame,
        losses,
        "Loss",
        &[("policy above its minimum", Color::Magenta, &policy), ("value", Color::Green, &value)],
    );
    let attackers = curve(|line| line.selfplay.results.shares()[0]);
    let defenders = curve(|line| line.selfplay.results.shares()[2]);
    let lines: [Curve<'_>; 2] = [("attackers", ATTACKERS, &attackers), ("defenders", DEFENDERS, &defenders)];
    chart(frame, balance, "Share of games won", &lines);
    let ladder_rows = if state.ladder.is_empty() { 0 } else { state.ladder.len() as u16 + 1 };
    let [upper, lower] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(ladder_rows.min(right.height / 2))]).areas(right);
    sides(frame, upper, state);
    ladder(frame, lower, state);
    said(frame, bottom, state);
    let keys_text = if state.paused {
        "paused · p: continue · q: plain lines"
    } else {
        "p: pause · q: plain lines, the run continues"
    };
    frame.render_widget(Paragraph::new(format!(" {keys_text} · Ctrl-C: stop")).dim(), keys);
}

/// Rows for messages, including their frame.
fn message_rows(height: u16) -> u16 {
    if height < 20 { 3 } else { 6 }
}

fn bars(frame: &mut Frame<'_>, area: Rect, state: &RunProgress) {
    let [title, run, phase, facts] = Layout::vertical([1, 1, 1, 2].map(Constraint::Length)).areas(area);
    let paused = if state.paused { " – paused" } else { "" };
    frame.render_widget(
        Line::from(vec![Span::from(format!(" {}", state.title)).bold(), Span::from(paused).yellow()]),
        title,
    );
    let left = state.left().map_or_else(String::new, |left| format!(", about {} left", duration(left.as_secs_f64())));
    let of_run = format!("{}/{} generations{left}", state.done, state.generations);
    gauge(frame, run, "run", &of_run, state.done, state.generations);
    let now = &state.phase;
    let text = format!("{}/{} {}", count(now.done as f64), count(now.total as f64), now.unit);
    gauge(frame, phase, now.name, &text, now.done, now.total);
    frame.render_widget(Paragraph::new(format!(" {}", facts_of(state))).dim(), facts);
}

/// Figures of the current phase.
fn facts_of(state: &RunProgress) -> String {
    let now = &state.phase;
    let elapsed = now.start.elapsed().max(Duration::from_millis(1)).as_secs_f64();
    if let Some(loss) = now.loss() {
        let value = short(f64::from(loss.value));
        return format!("policy {:.3} (minimum {:.3}), value {value}", loss.policy, loss.policy_floor);
    }
    let games = now.results.games();
    if games == 0 {
        return String::new();
    }
    let speed = state.evaluations() as f64 / elapsed;
    let plies = now.plies as f64 / games as f64;
    format!("{}\n {plies:.0} plies; {} evaluations/s", now.results, count(speed))
}

fn gauge(frame: &mut Frame<'_>, area: Rect, name: &str, text: &str, done: u64, total: u64) {
    let [label, bar] = Layout::horizontal([Constraint::Length(12), Constraint::Fill(1)]).areas(area);
    frame.render_widget(Paragraph::new(format!(" {name}")), label);
    let ratio = if total == 0 { 0.0 } else { (done as f64 / total as f64).min(1.0) };
    frame.render_widget(Gauge::default().gauge_style(Color::Cyan).ratio(ratio).label(text.to_owned()), bar);
}

fn chart(frame: &mut Frame<'_>, area: Rect, title: &str, lines: &[Curve<'_>]) {
    let mut heading = vec![Span::from(format!(" {title}")).bold()];
    for (name, colour, points) in lines {
        let last = points.last().map_or_else(|| "–".to_owned(), |point| short(point.1));
        heading.push(Span::from(format!("  {name} {last}")).fg(*colour));
    }
    let block = Block::new().borders(Borders::TOP).title(Line::from(heading));
    let points = || lines.iter().flat_map(|line| line.2.iter()).filter(|point| point.1.is_finite());
    if points().count() < 2 {
        frame.render_widget(Paragraph::new(" after the second generation").dim().block(block), area);
        return;
    }
    let range =
        |of: fn(&(f64, f64)) -> f64| points().map(of).fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
    let (first, last) = range(|point| point.0);
    let (low, high) = range(|point| point.1);
    let high = if high > low { high } else { low + 1.0 };
    let datasets = lines
        .iter()
        .map(|(_, colour, points)| {
            let line = Dataset::default().marker(Marker::Braille).graph_type(GraphType::Line);
            line.style(Style::new().fg(*colour)).data(points)
        })
        .collect();
    let x =
        Axis::default().bounds([first, last.max(first + 1.0)]).labels([format!("{first:.0}"), format!("{last:.0}")]);
    let y = Axis::default().bounds([low, high]).labels([short(low), short(high)]);
    frame.render_widget(Chart::new(datasets).block(block).x_axis(x).y_axis(y).legend_position(None), area);
}

/// Results of the last generation by rule set, as bars and in per cent.
fn sides(frame: &mut Frame<'_>, area: Rect, state: &RunProgress) {
    let block = Block::new().borders(Borders::TOP).title(Line::from(" Results by side, last generation").bold());
    let Some(last) = state.history.last() else {
        frame.render_widget(Paragraph::new(" after the first generation").dim().block(block), area);
        return;
    };
    // Without the space for a name only the shares of the sides are shown.
    let is_narrow = area.width < NARROW;
    let rows = last.rule_sets.iter().map(|set| {
        let shares = set.ordinary().shares();
        let name = Cell::from(format!(" {}", set.rules));
        let [attackers, draws, defenders, unfinished] = shares.map(|share| Cell::from(percent(share)));
        if is_narrow {
            return Row::new([name, attackers, defenders]);
        }
        Row::new([name, Cell::from(bar(shares, 8)), attackers, draws, defenders, unfinished])
    });
    let number = Constraint::Length(5);
    let (widths, header) = if is_narrow {
        (vec![Constraint::Fill(1), number, number], Row::new(["", "att", "def"]))
    } else {
        let widths = [Constraint::Fill(1), Constraint::Length(8)].into_iter().chain([number; Results::NAMES.len()]);
        (widths.collect(), Row::new(["", "", "att", "draw", "def", "unfin"]))
    };
    let header = header.dim();
    frame.render_widget(Table::new(rows, widths).header(header).column_spacing(1).block(block), area);
}

fn ladder(frame: &mut Frame<'_>, area: Rect, state: &RunProgress) {
    // Without the space for a name the intervals are left out.
    let n_columns = if area.width < NARROW { 2 } else { 3 };
    let row = |(name, rating): &(String, Rating)| {
        let interval = format!("{} to {}", signed(rating.low), signed(rating.high));
        Row::new([format!(" {name}"), signed(rating.elo), interval].into_iter().take(n_columns))
    };
    let widths = [Constraint::Fill(1), Constraint::Length(6), Constraint::Length(16)].into_iter().take(n_columns);
    let block = Block::new().borders(Borders::TOP).title(Line::from(" Ladder, in Elo").bold());
    frame.render_widget(Table::new(state.ladder.iter().map(row), widths).block(block), area);
}

/// Shares as a bar of blocks. A side that has won a game has at least one block.
fn bar(shares: [f64; 4], width: usize) -> Line<'static> {
    let cells = |share: f64| if share > 0.0 { ((share * width as f64).round() as usize).max(1) } else { 0 };
    let attackers = cells(shares[0]).min(width);
    let defenders = cells(shares[2]).min(width - attackers);
    let without_winner = width - attackers - defenders;
    Line::from(vec![
        Span::from("█".repeat(attackers)).fg(ATTACKERS),
        Span::from("░".repeat(without_winner)).dim(),
        Span::from("█".repeat(defenders)).fg(DEFENDERS),
    ])
}

fn said(frame: &mut Frame<'_>, area: Rect, state: &RunProgress) {
    let rows = usize::from(area.height.saturating_sub(1));
    let skipped = state.messages.len().saturating_sub(rows);
    let lines: Vec<Line<'_>> = state.messages.iter().skip(skipped).map(|line| Line::from(format!(" {line}"))).collect();
    let block = Block::new().borders(Borders::TOP).title(Line::from(" Messages").bold());
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use std::sync::Arc;
    use tablut_games::{CancelToken, RuleSetStatistics, SelfPlayMetrics};
    use tablut_learn::{Run, RunEvent, TrainConfig};

    fn state() -> RunProgress {
        let folder = tempfile::tempdir().unwrap();
        let text = "rules = [\"kvasir\", \"ashton\"]\nshape = \"lines32x1\"\n[schedule]\ngenerations = 8\ngames = 4\n";
        let config = TrainConfig::parse(text, std::path::Path::new("test.toml"), &[]).unwrap();
        let run = Run::open(&folder.path().join("tiny"), config).unwrap();
        RunProgress::new(&run, &Arc::default(), &CancelToken::new())
    }

    fn screen(state: &RunProgress, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, state)).unwrap();
        terminal.backend().to_string()
    }

    fn generation(generation: u64) -> GenerationMetrics {
        let set = |rules: &str, attackers, defenders| RuleSetStatistics {
            rules: rules.to_owned(),
            games: 20,
            results: Results { attackers, draws: 0, defenders, unfinished: 20 - attackers - defenders },
            ..RuleSetStatistics::default()
        };
        let results = Results { attackers: 11, draws: 0, defenders: 27, unfinished: 2 };
        let selfplay = SelfPlayMetrics { games: 40, results, ..Default::default() };
        let rule_sets = vec![set("kvasir", 1, 19), set("ashton", 10, 8)];
        GenerationMetrics { generation, selfplay, rule_sets, ..GenerationMetrics::default() }
    }

    #[test]
    fn a_run_that_begins_shows_placeholders() {
        let mut state = state();
        state.apply(&RunEvent::Note("warning: one\nwarning: two"));
        let screen = screen(&state, 80, 24);
        for part in [
            "tiny: lines32x1 on 2 rule sets",
            "0/8 generations",
            "after the first generation",
            "warning: two",
            "p: pause",
        ] {
            assert!(screen.contains(part), "{part} is not in\n{screen}");
        }
    }

    #[test]
    fn a_run_in_progress_shows_bars_curves_and_sides() {
        let mut state = state();
        for number in 0..4 {
            let mut metrics = generation(number);
            metrics.learning.loss.value = 1.0 - 0.1 * number as f32;
            metrics.learning.loss.policy = 4.0 - 0.2 * number as f32;
            state.apply(&RunEvent::GenerationEnded(&metrics));
        }
        state.apply(&RunEvent::SelfPlayBegan { generation: 4, games: 40 });
        state.phase.results = Results { attackers: 1, draws: 0, defenders: 2, unfinished: 1 };
        (state.phase.done, state.phase.plies) = (4, 400);
        state.ladder = vec![("greedy".to_owned(), Rating { elo: 210.4, low: 150.0, high: 270.0 })];
        state.paused = true;
        let screen = screen(&state, 100, 30);
        for part in [
            "4/8 generations",
            "4/40 games",
            "attackers 25 %, draws 0 %, defenders 50 %, unfinished 25 %",
            "100 plies",
            "value 0.70",
            "policy above its minimum 3.40",
            "attackers 0.28",
            "kvasir",
            "95 %",
            "ashton",
            "40 %",
            "10 %",
            "paused",
            "greedy",
            "+210",
            "+150 to +270",
        ] {
            assert!(screen.contains(part), "{part} is not in\n{screen}");
        }
        assert!(screen.chars().any(|c| ('\u{2801}'..='\u{28ff}').contains(&c)), "no curve\n{screen}");
    }

    #[test]
    fn names_are_whole_on_narrow_terminals() {
        let mut state = state();
        state.apply(&RunEvent::GenerationEnded(&generation(0)));
        state.ladder = ["alphabeta:2", "nets from 12"]
            .map(|name| (name.to_owned(), Rating { elo: -1210.4, low: -1350.0, high: -1070.0 }))
            .into();
        for (width, height) in [(80, 24), (60, 24)] {
            let screen = screen(&state, width, height);
            for name in ["alphabeta:2", "nets from 12", "kvasir", "ashton", "−1210", "95 %"] {
                assert!(screen.contains(name), "{name} is not in\n{screen}");
            }
        }
    }

    #[test]
    fn terminals_of_any_size_are_drawn_on() {
        let mut state = state();
        state.apply(&RunEvent::GenerationEnded(&generation(0)));
        state.apply(&RunEvent::GenerationEnded(&generation(1)));
        state.apply(&RunEvent::LearningBegan { generation: 2, steps: 10 });
        for (width, height) in [(1, 1), (20, 5), (40, 12), (300, 8), (30, 100)] {
            screen(&state, width, height);
        }
    }

    #[test]
    fn a_side_that_won_is_visible() {
        let text = |shares| bar(shares, 10).to_string();
        assert_eq!(text([0.01, 0.0, 0.99, 0.0]), "██████████");
        assert_eq!(bar([0.01, 0.0, 0.99, 0.0], 10).spans[0].content.chars().count(), 1);
        assert_eq!(text([0.0, 0.5, 0.0, 0.5]), "░░░░░░░░░░");
        assert_eq!(text([0.5, 0.0, 0.5, 0.0]), "██████████");
    }
}
