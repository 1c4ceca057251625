//! A ladder as one self-contained SVG: names, ratings, intervals as whiskers, scores by side.

use std::fmt::Write as _;

use tablut_arena::{Ladder, LadderPlayer};
use tablut_ratings::Wdl;

/// Height of a player's row, in pixels.
const ROW: f64 = 34.0;
/// Where the first row begins.
const TOP: f64 = 104.0;
/// Room below the last row for the scale and the notes.
const BOTTOM: f64 = 92.0;
/// Width of the part in which ratings are drawn.
const PLOT: f64 = 430.0;
const MARGIN: f64 = 28.0;
/// Mean width of a letter in names, in pixels.
const LETTER: f64 = 7.4;
/// The longest name that is shown whole, in letters.
const MAX_NAME: usize = 44;
/// Columns of figures to the right of the plot: where each ends, counted from the plot's right edge.
const COLUMNS: [(&str, f64); 4] = [("Elo", 66.0), ("95 %", 196.0), ("attackers", 278.0), ("defenders", 354.0)];

const STYLE: &str = "text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;fill:#1f2933}\
.title{font-size:20px;font-weight:600}.soft{fill:#7b8794}.small{font-size:11.5px;fill:#7b8794}.elo{font-weight:600}\
.figure{font-variant-numeric:tabular-nums;text-anchor:end}.end{text-anchor:end}.middle{text-anchor:middle}\
.grid{stroke:#e4e7eb}.zero{stroke:#cbd2d9}.band{fill:#f7f9fb}.whisker{stroke:#2f6f9f;stroke-width:2;stroke-linecap:round}\
.dot{fill:#2f6f9f}.anchor{fill:#fff;stroke:#2f6f9f;stroke-width:2}";

/// Draws `ladder` under `title`, which names the rules.
pub fn ladder_svg(ladder: &Ladder, title: &str) -> String {
    let names = ladder.players.iter().map(|player| shortened(&player.name).chars().count()).max().unwrap_or(0);
    let left = MARGIN + (names as f64 * LETTER).max(90.0) + 18.0;
    let width = left + PLOT + COLUMNS[COLUMNS.len() - 1].1 + MARGIN;
    let height = TOP + ROW * ladder.players.len() as f64 + BOTTOM;
    let scale = Scale::of(ladder, left);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} \
         {height:.0}\" role=\"img\">\n<title>{0}</title>\n<style>{STYLE}</style>\n<rect width=\"100%\" height=\"100%\" \
         fill=\"#fff\"/>\n<text class=\"title\" x=\"{MARGIN}\" y=\"46\">{0}</text>\n",
        escaped(title)
    );
    heading(&mut svg, left);
    for place in (0..ladder.players.len()).step_by(2) {
        let y = TOP + ROW * place as f64;
        let _ = writeln!(
            svg,
            "<rect class=\"band\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{ROW}\" rx=\"4\"/>",
            MARGIN - 10.0,
            width - 2.0 * MARGIN + 20.0
        );
    }
    grid(&mut svg, &scale, TOP + ROW * ladder.players.len() as f64);
    for (place, player) in ladder.players.iter().enumerate() {
        row(&mut svg, player, &scale, left, TOP + ROW * (place as f64 + 0.5));
    }
    notes(&mut svg, ladder, height);
    svg.push_str("</svg>\n");
    svg
}

/// Where ratings lie between the plot's edges.
struct Scale {
    low: f64,
    high: f64,
    step: f64,
    left: f64,
}

impl Scale {
    fn of(ladder: &Ladder, left: f64) -> Self {
        let ratings = || ladder.players.iter().map(|player| player.rating);
        let low = ratings().map(|rating| rating.low).fold(f64::INFINITY, f64::min);
        let high = ratings().map(|rating| rating.high).fold(f64::NEG_INFINITY, f64::max);
        // A single anchor has no width, and an empty ladder no ratings.
        let (low, high) = if low.is_finite() && high.is_finite() { (low, high) } else { (0.0, 0.0) };
        let room = (0.06 * (high - low)).max(20.0);
        let (low, high) = (low - room, high + room);
        Self { low, high, step: tick_step(high - low), left }
    }

    fn x(&self, elo: f64) -> f64 {
        self.left + PLOT * (elo - self.low) / (self.high - self.low)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let first = (self.low / self.step).ceil() as i64;
        let last = (self.high / self.step).floor() as i64;
        let step = self.step;
        (first..=last).map(move |n| n as f64 * step)
    }
}

/// The distance between the scale's lines: 1, 2 or 5 times a power of ten, for at most seven of them.
fn tick_step(span: f64) -> f64 {
    let least = span / 7.0;
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|&step| step >= least).unwrap_or(least)
}

fn heading(svg: &mut String, left: f64) {
    let y = TOP - 14.0;
    let _ = writeln!(svg, "<text class=\"small\" x=\"{MARGIN}\" y=\"{y}\">player</text>");
    for (name, end) in COLUMNS {
        let _ = writeln!(svg, "<text class=\"small end\" x=\"{:.1}\" y=\"{y}\">{name}</text>", left + PLOT + end);
    }
    let middle = left + PLOT + f64::midpoint(COLUMNS[1].1, COLUMNS[3].1) + 12.0;
    let _ = writeln!(svg, "<text class=\"small middle\" x=\"{middle:.1}\" y=\"{:.1}\">score with the</text>", y - 16.0);
}

fn grid(svg: &mut String, scale: &Scale, bottom: f64) {
    for tick in scale.ticks() {
        let x = scale.x(tick);
        let class = if tick == 0.0 { "zero" } else { "grid" };
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom:.1}\"/>\
             <text class=\"small middle\" x=\"{x:.1}\" y=\"{:.1}\">{tick:.0}</text>",
            bottom + 18.0
        );
    }
}

fn row(svg: &mut String, player: &LadderPlayer, scale: &Scale, left: f64, y: f64) {
    let rating = player.rating;
    let baseline = y + 4.5;
    let _ = writeln!(
        svg,
        "<g><title>{}</title><text x=\"{MARGIN}\" y=\"{baseline:.1}\">{}</text>",
        escaped(&player.name),
        escaped(&shortened(&player.name))
    );
    let x = scale.x(rating.elo);
    if player.anchor {
        let _ = writeln!(
            svg,
            "<rect class=\"anchor\" x=\"{:.1}\" y=\"{:.1}\" width=\"9\" height=\"9\" transform=\"rotate(45 {x:.1} {y:.1})\"/>",
            x - 4.5,
            y - 4.5
        );
    } else {
        let (low, high) = (scale.x(rating.low), scale.x(rating.high));
        let _ = writeln!(
            svg,
            "<path class=\"whisker\" fill=\"none\" d=\"M{low:.1} {0:.1}v10m0-5H{high:.1}m0-5v10\"/>\
             <circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/>",
            y - 5.0
        );
    }
    let interval =
        if player.anchor { "anchor".to_owned() } else { format!("{} to {}", signed(rating.low), signed(rating.high)) };
    let cells = [
        ("figure elo", signed(rating.elo)),
        ("figure soft", interval),
        ("figure", percent(player.as_attackers)),
        ("figure", percent(player.as_defenders)),
    ];
    for ((class, text), (_, end)) in cells.into_iter().zip(COLUMNS) {
        let _ =
            writeln!(svg, "<text class=\"{class}\" x=\"{:.1}\" y=\"{baseline:.1}\">{text}</text>", left + PLOT + end);
    }
    svg.push_str("</g>\n");
}

fn notes(svg: &mut String, ladder: &Ladder, height: f64) {
    let side = ladder.attackers_advantage;
    let games: u32 = ladder.players.iter().map(|player| (player.as_attackers + player.as_defenders).games()).sum();
    let lines = [
        format!(
            "The attackers’ side is worth {} Elo ({} to {}). {:.0} % of games between equals are drawn. {} games.",
            signed(side.elo),
            signed(side.low),
            signed(side.high),
            100.0 * ladder.draw_rate,
            games / 2
        ),
        "Whiskers are 95 % intervals; a diamond is an anchor, whose rating is given.".to_owned(),
    ];
    for (line, text) in lines.into_iter().enumerate() {
        let y = height - 36.0 + 17.0 * line as f64;
        let _ = writeln!(svg, "<text class=\"small\" x=\"{MARGIN}\" y=\"{y:.1}\">{text}</text>");
    }
}

/// A whole number with its sign, the minus as typeset.
fn signed(elo: f64) -> String {
    let rounded = elo.round();
    if rounded < 0.0 {
        format!("−{:.0}", -rounded)
    } else if rounded > 0.0 {
        format!("+{rounded:.0}")
    } else {
        "0".to_owned()
    }
}

fn percent(results: Wdl) -> String {
    if results.games() == 0 {
        return "–".to_owned();
    }
    format!("{:.0} %", 100.0 * results.estimate().mean)
}

/// A long name with its middle left out: paths differ at their ends.
fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= MAX_NAME {
        return name.to_owned();
    }
    let (head, tail) = (MAX_NAME / 3, MAX_NAME - MAX_NAME / 3 - 1);
    letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
}

fn escaped(text: &str) -> String {
    // Control characters have no place in XML.
    let visible: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    visible.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{ladder_svg, shortened, tick_step};
    use tablut_arena::{Ladder, LadderPlayer};
    use tablut_ratings::{Rating, Wdl};

    fn player(name: &str, elo: f64, width: f64) -> LadderPlayer {
        LadderPlayer {
            name: name.to_owned(),
            rating: Rating { elo, low: elo - width, high: elo + 2.0 * width },
            anchor: width == 0.0,
            measured: None,
            as_attackers: Wdl { wins: 3, draws: 0, losses: 1 },
            as_defenders: Wdl::default(),
        }
    }

    fn ladder(players: Vec<LadderPlayer>) -> Ladder {
        let superiority = vec![vec![0.5; players.len()]; players.len()];
        let attackers_advantage = Rating { elo: -50.4, low: -80.0, high: -20.0 };
        Ladder { players, attackers_advantage, draw_rate: 0.1, superiority }
    }

    /// The value of attribute `name` in each of `text`'s elements of a class.
    fn values(text: &str, class: &str, name: &str) -> Vec<f64> {
        let element = format!("class=\"{class}\"");
        let attribute = format!(" {name}=\"");
        text.match_indices(&element)
            .map(|(at, _)| {
                let rest = &text[at..];
                let rest = &rest[rest.find(&attribute).expect("the attribute is there") + attribute.len()..];
                rest[..rest.find('"').expect("it ends")].parse().expect("a number")
            })
            .collect()
    }

    #[test]
    fn players_stand_at_their_ratings_and_inside_the_picture() {
        let svg = ladder_svg(
            &ladder(vec![player("net", 900.0, 60.0), player("greedy", 300.0, 40.0), player("random", 0.0, 0.0)]),
            "kvasir",
        );
        let dots = values(&svg, "dot", "cx");
        let ticks = values(&svg, "grid", "x1");
        assert!(dots.len() == 2 && ticks.len() >= 3, "{svg}");
        assert!(dots[0] > dots[1] && ticks.iter().any(|x| x > &dots[1]), "{svg}");
        assert_eq!(svg.matches("<g>").count(), 3);
        assert!(
            svg.contains(">+900<") && svg.contains("+840 to +1020") && svg.contains("−50 Elo (−80 to −20)"),
            "{svg}"
        );
        assert!(svg.contains("75 %") && svg.contains(">–<"), "a score, and none where no game was played");
    }

    #[test]
    fn odd_ladders_are_drawn() {
        for players in [vec![], vec![player("only", 0.0, 0.0)], vec![player("a", 5.0, 1e-9), player("b", 5.0, 0.0)]] {
            let svg = ladder_svg(&ladder(players), "one & two");
            assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert!(svg.contains("one &amp; two"));
        }
    }

    #[test]
    fn long_and_hostile_names_are_kept_in_place() {
        let long = format!("net:runs/{}/checkpoint<&\">.tablut@64", "folder/".repeat(30));
        let svg = ladder_svg(&ladder(vec![player(&long, 10.0, 5.0)]), "kvasir");
        assert!(svg.contains("&lt;&amp;&quot;&gt;.tablut@64") && !svg.contains("<&"), "{svg}");
        assert_eq!(shortened(&long).chars().count(), 44);
        assert!(shortened(&long).starts_with("net:runs/") && shortened(&long).ends_with(".tablut@64"));
        assert_eq!(shortened("short"), "short");
        let dots = values(&svg, "dot", "cx");
        assert!(dots[0] > 340.0 && dots[0] < 800.0, "{dots:?}");
    }

    #[test]
    fn steps_are_round() {
        assert_eq!([40.0, 700.0, 1500.0, 5200.0].map(tick_step), [10.0, 100.0, 500.0, 1000.0]);
    }
}
