//! Figures as SVG, with the page's colours: line charts, stacked bars, interval bars, the calibration plot, and boards.
//! Each has a title that describes it.

mod board;

pub use board::{board_symbols, board_view};

use std::fmt::Write as _;

use maud::{Markup, html};
use tablut_games::CalibrationBin;

use crate::figures::{percent, short};

pub struct Series {
    pub name: String,
    /// The CSS class of its colour: `a`, `d`, `g`, `n`, `s0` to `s5`.
    pub class: String,
    /// Whether it is dashed, so that it differs from others without colour.
    pub dashed: bool,
    /// Its points, with rising x. A `NaN` breaks the line.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// The line through `points`.
    pub fn new(name: &str, class: &str, dashed: bool, points: impl Iterator<Item = (f64, f64)>) -> Self {
        Self { name: name.to_owned(), class: class.to_owned(), dashed, points: points.collect() }
    }
}

/// How the axes are labelled, and how the vertical one is bounded.
#[derive(Copy, Clone)]
pub struct Axis {
    /// The vertical axis ends at 0 and 1 and has labels in per cent.
    pub shares: bool,
    /// The vertical axis begins at 0.
    pub from_zero: bool,
    /// What the horizontal axis measures.
    pub across: &'static str,
}

impl Default for Axis {
    fn default() -> Self {
        Self { shares: false, from_zero: false, across: GENERATION }
    }
}

/// The usual horizontal axis, whose ticks are whole numbers.
pub const GENERATION: &str = "generation";

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 210.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 28.0;

/// The smallest step that divides `span` into at most `most` parts and is 1, 2 or 5 times a power of ten.
fn step(span: f64, most: f64) -> f64 {
    let least = (span / most).max(1e-12);
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|&step| step >= least * 0.999).unwrap_or(least)
}

/// A chart of lines over generations, time or work, with a title and a note on how to read it.
pub fn line_chart(title: &str, reading: &str, series: &[Series], axis: Axis) -> Markup {
    let points = || series.iter().flat_map(|series| &series.points).filter(|point| point.1.is_finite());
    if points().count() == 0 {
        return html! {};
    }
    let bounds = |of: fn(&(f64, f64)) -> f64| {
        points().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    };
    let (x0, x1) = bounds(|point| point.0);
    let (low, high) = bounds(|point| point.1);
    let (low, high) = if axis.shares { (0.0, 1.0) } else { (if axis.from_zero { low.min(0.0) } else { low }, high) };
    let room = if high > low { high - low } else { high.abs().max(1.0) };
    let tick = step(room, 4.0);
    let (low, high) = ((low / tick).floor() * tick, ((high / tick).ceil() * tick).max(low + tick));
    let is_whole = axis.across == GENERATION;
    let x_span = (x1 - x0).max(if is_whole { 1.0 } else { 1e-6 });
    let x = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * (value - x0) / x_span;
    let y = |value: f64| TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low);
    let ticks: Vec<f64> = (0..=((high - low) / tick).round() as i64).map(|n| low + n as f64 * tick).collect();
    let x_step = step(x_span, 5.0).max(if is_whole { 1.0 } else { 0.0 });
    let first_tick = (x0 / x_step).ceil() as i64;
    let last_tick = (x1 / x_step).floor() as i64;
    let x_ticks: Vec<f64> = (first_tick..=last_tick).map(|n| n as f64 * x_step).collect();
    let label = |value: f64| {
        if axis.shares { percent(value) } else { short(if value.abs() < tick * 1e-6 { 0.0 } else { value }) }
    };
    let last =
        |series: &Series| series.points.iter().rev().find(|p| p.1.is_finite()).map_or(String::new(), |p| label(p.1));
    let spoken = series.iter().map(|s| format!("{} ends at {}", s.name, last(s))).collect::<Vec<_>>().join("; ");
    html! {
        figure class="chart" {
            figcaption { b { (title) } @if !reading.is_empty() { " " span class="soft" { (reading) } } }
            svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(format!("{title}, by {} {} to {}: {spoken}", axis.across, short(x0), short(x1))) {
                title { (title) ", by " (axis.across) ": " (spoken) }
                @for value in &ticks {
                    line class="grid" x1=(LEFT) x2=(WIDTH - RIGHT) y1=(f1(y(*value))) y2=(f1(y(*value))) {}
                    text class="tick end" x=(LEFT - 5.0) y=(f1(y(*value) + 4.0)) { (label(*value)) }
                }
                @for value in &x_ticks {
                    text class="tick mid" x=(f1(x(*value))) y=(HEIGHT - 10.0) { @if is_whole { (format!("{value:.0}")) } @else { (without_zeros(&short(*value))) } }
                }
                @for series in series {
                    path class=(format!("line {}{}", series.class, if series.dashed { " dashed" } else { "" })) d=(path(&series.points, x, y)) {}
                    @for point in lone(&series.points) {
                        circle class=(format!("dot {}", series.class)) cx=(f1(x(point.0))) cy=(f1(y(point.1))) r="3" {}
                    }
                }
            }
            @if series.len() > 1 || series.iter().any(|series| !series.name.is_empty()) {
                p class="legend" {
                    @for series in series {
                        span class=(format!("key {}{}", series.class, if series.dashed { " dashed" } else { "" })) { i {} (series.name) " " b { (last(series)) } }
                    }
                }
            }
        }
    }
}

/// The points without a neighbour, through which no line goes.
fn lone(points: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
    let is_shown = |at: usize| points.get(at).is_some_and(|point| point.1.is_finite());
    let is_lone = move |at: usize| is_shown(at) && !is_shown(at + 1) && !at.checked_sub(1).is_some_and(is_shown);
    points.iter().enumerate().filter(move |(at, _)| is_lone(*at)).map(|(_, point)| *point)
}

/// A number without the zeros after its last decimal.
fn without_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// A coordinate with one decimal, a tenth of a pixel.
fn f1(value: f64) -> String {
    format!("{value:.1}")
}

/// The line through the points. A missing value breaks it.
fn path(points: &[(f64, f64)], x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64) -> String {
    // A chart is about 300 pixels wide. More than 600 points would not be visible.
    let every = points.len().div_ceil(600).max(1);
    let mut path = String::new();
    let mut pen = 'M';
    for (at, point) in points.iter().enumerate() {
        if at % every != 0 && at + 1 != points.len() {
            continue;
        }
        if point.1.is_finite() {
            let _ = write!(path, "{pen}{:.1} {:.1}", x(point.0), y(point.1));
            pen = 'L';
        } else {
            pen = 'M';
        }
    }
    path
}

/// A stacked bar. Each part has a name, a CSS class and an amount. `of` is the amount of the full width.
pub fn bar(title: &str, parts: &[(&str, &str, f64)], of: f64) -> Markup {
    let of = of.max(1e-12);
    let mut from = 0.0;
    let placed: Vec<(&str, &str, f64, f64)> = parts
        .iter()
        .map(|&(name, class, amount)| {
            let start = from;
            from += 100.0 * amount / of;
            (name, class, start, 100.0 * amount / of)
        })
        .collect();
    let spoken =
        parts.iter().map(|(name, _, amount)| format!("{name} {}", percent(amount / of))).collect::<Vec<_>>().join(", ");
    html! {
        svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label=(format!("{title}: {spoken}")) {
            title { (title) ": " (spoken) }
            @for (_, class, start, width) in &placed {
                rect class=(format!("fill {class}")) x=(format!("{start:.2}")) y="0" width=(format!("{width:.2}")) height="6" {}
            }
        }
    }
}

/// A share with its interval on a scale from 0 to 1, with a line at 0.5.
pub fn whiskers(title: &str, low: f64, mean: f64, high: f64, class: &str) -> Markup {
    let x = |value: f64| format!("{:.1}", 4.0 + 112.0 * value);
    html! {
        svg class="whiskers" viewBox="0 0 120 16" role="img" aria-label=(format!("{title}: {} ({} to {})", percent(mean), percent(low), percent(high))) {
            title { (title) ": " (percent(mean)) " (" (percent(low)) " to " (percent(high)) ")" }
            line class="grid" x1="4" x2="116" y1="8" y2="8" {}
            line class="half" x1="60" x2="60" y1="1" y2="15" {}
            line class=(format!("line {class}")) x1=(x(low)) x2=(x(high)) y1="8" y2="8" {}
            circle class=(format!("dot {class}")) cx=(x(mean)) cy="8" r="3.6" {}
        }
    }
}

/// The mean result against the net's mean value, one circle a bin. A calibrated net is on the diagonal.
pub fn calibration_plot(title: &str, bins: &[CalibrationBin]) -> Markup {
    const SIDE: f64 = 220.0;
    let bins: Vec<&CalibrationBin> =
        bins.iter().filter(|bin| bin.value.is_finite() && bin.outcome.is_finite()).collect();
    if bins.is_empty() {
        return html! {};
    }
    let x = |value: f64| LEFT + (SIDE - LEFT - RIGHT) * (value + 1.0) / 2.0;
    let y = |value: f64| TOP + (SIDE - TOP - 40.0) * (1.0 - value) / 2.0;
    let most = bins.iter().map(|bin| bin.positions).max().unwrap_or(1) as f64;
    html! {
        figure class="chart square" {
            figcaption { b { (title) } }
            svg viewBox=(format!("0 0 {SIDE} {SIDE}")) role="img" aria-label=(format!("{title}: mean result against mean value in {} bins", bins.len())) {
                title { (title) ": mean result against the net's mean value" }
                @for (value, name) in [(-1.0, "−1"), (0.0, "0"), (1.0, "+1")] {
                    line class="grid" x1=(f1(x(-1.0))) x2=(f1(x(1.0))) y1=(f1(y(value))) y2=(f1(y(value))) {}
                    line class="grid" x1=(f1(x(value))) x2=(f1(x(value))) y1=(f1(y(-1.0))) y2=(f1(y(1.0))) {}
                    text class="tick end" x=(LEFT - 5.0) y=(f1(y(value) + 4.0)) { (name) }
                    text class="tick mid" x=(f1(x(value))) y=(f1(y(-1.0) + 15.0)) { (name) }
                }
                line class="half" x1=(f1(x(-1.0))) x2=(f1(x(1.0))) y1=(f1(y(-1.0))) y2=(f1(y(1.0))) {}
                text class="tick mid" x=(f1(x(0.0))) y=(SIDE - 6.0) { "the net's value" }
                text class="tick mid" transform=(format!("translate(13 {:.1}) rotate(-90)", y(0.0))) { "mean result" }
                @for bin in &bins {
                    circle class="dot n" cx=(f1(x(bin.value))) cy=(f1(y(bin.outcome))) r=(f1(2.5 + 5.0 * (bin.positions as f64 / most).sqrt())) {
                        title { (format!("{} positions: mean value {:+.2}, mean result {:+.2}", bin.positions, bin.value, bin.outcome)) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        assert_eq!([4.0, 0.7, 130.0].map(|span| (step(span, 4.0) * 1e6).round() / 1e6), [1.0, 0.2, 50.0]);
    }

    #[test]
    fn lines_stay_inside_and_break_where_values_are_missing() {
        let points = vec![(0.0, 3.0), (1.0, f64::NAN), (2.0, 2.0), (3.0, 1.0)];
        let series = [Series { name: "x & y".to_owned(), class: "n".to_owned(), dashed: false, points }];
        let text = line_chart("loss", "", &series, Axis::default()).into_string();
        assert!(text.contains("x &amp; y") && !text.contains("NaN") && !text.contains("inf"), "{text}");
        let path = text.split(" d=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(path.matches('M').count(), 2);
        for number in path.split(|c: char| !(c.is_ascii_digit() || c == '.')).filter(|n| !n.is_empty()) {
            assert!((0.0..=WIDTH).contains(&number.parse::<f64>().unwrap()), "{path}");
        }
        assert_eq!(line_chart("none", "", &[], Axis::default()).into_string(), "");
    }

    #[test]
    fn one_value_and_constant_values_are_drawn() {
        for points in [vec![(5.0, 0.0)], vec![(0.0, 2.0), (1.0, 2.0)]] {
            let series = [Series { name: String::new(), class: "n".to_owned(), dashed: true, points }];
            let text = line_chart("flat", "", &series, Axis { from_zero: true, ..Axis::default() }).into_string();
            assert!(text.contains("<svg") && !text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }

    #[test]
    fn points_without_neighbours_are_circles_and_missing_values_are_not() {
        let missing = f64::NAN;
        for (values, circles) in [
            (vec![missing, 1.0, missing], 1),
            (vec![1.0, missing, 2.0], 2),
            (vec![1.0, 2.0, missing, 3.0, missing], 1),
            (vec![1.0, 2.0], 0),
        ] {
            let points = (0..).map(f64::from).zip(values).collect();
            let series = [Series { name: String::new(), class: "n".to_owned(), dashed: false, points }];
            let text = line_chart("gaps", "", &series, Axis::default()).into_string();
            assert_eq!((text.matches("<circle").count(), text.contains("NaN")), (circles, false), "{text}");
        }
        let bin = |value| CalibrationBin { from: 0.0, positions: 3, value, outcome: 0.5 };
        let text = calibration_plot("values", &[bin(0.1), bin(missing)]).into_string();
        assert_eq!((text.matches("<circle").count(), text.contains("NaN")), (1, false), "{text}");
    }

    #[test]
    fn bars_add_up() {
        let text = bar("time", &[("play", "a", 3.0), ("learn", "d", 1.0)], 4.0).into_string();
        assert!(text.contains("width=\"75.00\"") && text.contains("x=\"75.00\" y=\"0\" width=\"25.00\""), "{text}");
        assert!(text.contains("play 75 %, learn 25 %"));
    }
}
