//! Games that differed from ordinary self-play, by rule set and kind.

use maud::{Markup, html};
use tablut_games::{Endings, RuleSetStatistics, UnevenGames};

use crate::figures::percent;
use crate::metrics::by_rule_set;
use tablut_games::GenerationMetrics;

/// A table of the special games of the `recent` generations, or nothing if there were none.
pub fn special_section(recent: &[GenerationMetrics]) -> Markup {
    let rows = rows(recent);
    if rows.is_empty() {
        return html! {};
    }
    html! {
        h3 { "Games that are not in these results" }
        p class="soft" {
            "The table above counts games with equal searches alone. Here is the rest, as games won, drawn and lost by the attackers."
        }
        div class="scroll" { table {
            thead { tr {
                th { "rules" } th { "unequal searches" } th { "simulations" }
            } }
            tbody { @for (rules, uneven) in &rows { tr {
                th class="left" scope="row" { (rules) }
                td { (score(uneven.results)) }
                td { @if uneven.results.games() > 0 { (uneven.simulations[0]) " : " (uneven.simulations[1]) } @else { "–" } }
            } } }
        } }
    }
}

/// The sums by rule set, of those that had such games, with the simulations of the last generation that had them.
fn rows(recent: &[GenerationMetrics]) -> Vec<(&str, UnevenGames)> {
    let sum = |sum: UnevenGames, found: UnevenGames| UnevenGames {
        simulations: if found.results.games() > 0 { found.simulations } else { sum.simulations },
        results: sum.results.plus(found.results),
    };
    let row = |(rules, sets): (_, Vec<&RuleSetStatistics>)| {
        let found = sets.into_iter().filter_map(|set| set.special.as_ref()).map(|special| special.uneven);
        Some((rules, found.reduce(sum)?))
    };
    by_rule_set(recent).into_iter().filter_map(row).collect()
}

/// Won, drawn and lost by the attackers, with their score.
fn score(results: Endings) -> String {
    let games = results.games();
    if games == 0 {
        return "–".to_owned();
    }
    let Endings { attackers_won, drawn, defenders_won } = results;
    let share = (attackers_won as f64 + 0.5 * drawn as f64) / games as f64;
    format!("{attackers_won} · {drawn} · {defenders_won} ({})", percent(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_summed_over_generations() {
        let line = "{\"generation\":0,\"rule_sets\":[{\"rules\":\"kvasir\",\"games\":20,\"special\":{\"ordinary\":{\"drawn\":5},\
                    \"uneven\":{\"simulations\":[7,57],\"attackers_won\":4}}}]}";
        let line: GenerationMetrics = serde_json::from_str(line).unwrap();
        let page = special_section(&[line.clone(), line.clone()]).into_string();
        assert!(page.contains("8 · 0 · 0 (100 %)"), "{page}");
        assert!(page.contains("7 : 57") && page.contains("kvasir"), "{page}");
        assert_eq!(line.shares(), [0.0, 1.0, 0.0], "only ordinary games count");
        assert_eq!(special_section(&[GenerationMetrics::default()]).into_string(), "");
    }
}
