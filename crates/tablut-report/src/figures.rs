//! Numbers as text for people.

use tablut_arena::tally::EloDifference;
use tablut_ratings::Rating;
use tablut_ratings::score::wilson;

/// A share, 0 to 1, in per cent without decimals.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// A duration: `48 s`, `5 min 39 s`, `3 h 05 min`, `2 days 4 h`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        3600..172_800 => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
        _ => format!("{} days {} h", whole / 86_400, whole % 86_400 / 3600),
    }
}

/// A size in bytes: `94 kB`, `1.3 GB`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 || value >= 100.0 {
        format!("{value:.0} {}", UNITS[unit])
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

/// A count in groups of three digits; millions are shortened.
pub fn count(value: f64) -> String {
    if value >= 1e7 {
        return format!("{:.1} million", value / 1e6);
    }
    let digits = format!("{:.0}", value.max(0.0));
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count with its noun: `1 generation`, `3 generations`.
pub fn counted(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{} {noun}s", count(n as f64)) }
}

/// The end of a run: `the last generation`, `the last 3 generations`.
pub(crate) fn the_last(n: usize) -> String {
    if n == 1 { "the last generation".to_owned() } else { format!("the last {n} generations") }
}

/// A whole number with its sign, and with a typographic minus. Infinity becomes words.
pub fn signed(value: f64) -> String {
    match value.round() {
        f64::INFINITY => "no upper end".to_owned(),
        f64::NEG_INFINITY => "no lower end".to_owned(),
        rounded if rounded.abs() > 0.0 => format!("{rounded:+.0}").replace('-', "−"),
        _ => "0".to_owned(),
    }
}

/// A rating or a difference in Elo with its interval.
pub fn elo_interval(Rating { elo, low, high }: Rating) -> String {
    format!("{} ({} to {})", signed(elo), signed(low), signed(high))
}

/// An Elo difference with its interval, or its only finite bound.
pub fn elo_text(elo: &EloDifference) -> String {
    match (elo.low, elo.mean, elo.high) {
        (Some(low), Some(elo), Some(high)) => elo_interval(Rating { elo, low, high }),
        (Some(low), _, None) => format!("above {}", signed(low)),
        (None, _, Some(high)) => format!("below {}", signed(high)),
        _ => "–".to_owned(),
    }
}

/// A number with two to four significant digits. Large numbers have the suffix `k` or `M`.
pub fn short(value: f64) -> String {
    let size = value.abs();
    let text = match size {
        _ if size == 0.0 => "0".to_owned(),
        _ if size >= 1e6 => format!("{:.1}M", value / 1e6),
        _ if size >= 1e4 => format!("{:.0}k", value / 1e3),
        _ if size >= 100.0 => format!("{value:.0}"),
        _ if size >= 10.0 => format!("{value:.1}"),
        _ if size >= 0.1 => format!("{value:.2}"),
        _ if size >= 0.001 => format!("{value:.4}"),
        _ => format!("{value:.1e}"),
    };
    text.replace('-', "−")
}

/// A number between −1 and 1 with two decimals.
pub fn hundredths(value: f64) -> String {
    let text = format!("{value:.2}");
    if text == "-0.00" { "0.00".to_owned() } else { text.replace('-', "−") }
}

/// Wilson's 95 % interval of the share `hits / n`. Both ends are from 0 to 1.
pub fn share_interval(hits: usize, n: usize) -> (f64, f64) {
    if n == 0 {
        return (0.0, 1.0);
    }
    wilson(hits as f64 / n as f64, n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!(
            [47.6, 339.0, 11_100.0, 190_000.0].map(duration),
            ["48 s", "5 min 39 s", "3 h 05 min", "2 days 4 h"]
        );
        assert_eq!([12, 94_300, 1_310_000_000].map(bytes), ["12 B", "94.3 kB", "1.3 GB"]);
        assert_eq!([999.0, 1_234_567.0, 12_300_000.0].map(count), ["999", "1,234,567", "12.3 million"]);
        assert_eq!([12.4, -3.6, 0.2].map(signed), ["+12", "−4", "0"]);
        assert_eq!([0.0, 0.003, 4.1976, -12.34, 516_896.0].map(short), ["0", "0.0030", "4.20", "−12.3", "517k"]);
        assert_eq!([0.00054, -0.001, -0.456, 1.0].map(hundredths), ["0.00", "0.00", "−0.46", "1.00"]);
    }

    #[test]
    fn intervals_of_shares_are_wilsons() {
        let (low, high) = share_interval(200, 200);
        assert!((low - 0.9811).abs() < 1e-3 && high == 1.0);
        assert_eq!(share_interval(0, 0), (0.0, 1.0));
    }
}
