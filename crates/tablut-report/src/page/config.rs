//! The config, and the commands that do the run again.

use maud::{Markup, html};

use crate::run_files::RunFiles;

pub fn section(run: &RunFiles) -> Markup {
    if run.config_text.is_empty() {
        return html! {};
    }
    html! {
        p { "A run is a function of its config and seed, to the bit, on any processor with AVX2 or better. Save the config below as " code { "again.toml" } " and call:" }
        pre { "tablut train again.toml --run runs/again" }
        p { "Rule files that the config names must be there as well; the run keeps the rules themselves in " code { "rules.toml" } "." }
        details { summary { "config.toml" } pre { (run.config_text) } }
    }
}
