//! The overview of all commands that `tablut --help` prints, in groups.

use std::fmt::Write as _;

use clap::Command;

/// Every command in its group; what each is for stands at the command itself.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Play", &["play", "serve", "analyze", "review", "puzzles"]),
    ("Train", &["train", "worker", "report", "config", "selfplay", "data", "model"]),
    ("Measure", &["evaluate", "match", "openings"]),
    ("Rules", &["rules", "replay", "perft"]),
    ("Other programs", &["bridge"]),
    ("This program", &["bench", "completions", "man", "help"]),
];

/// `program` with a help text that lists its commands in groups.
pub fn grouped(program: Command) -> Command {
    let mut list = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(list, "{title}:");
        for name in names {
            let about = match program.find_subcommand(name).and_then(Command::get_about) {
                Some(about) => about.to_string(),
                None => "Explain a command.".to_owned(),
            };
            let _ = writeln!(list, "  {name:<12} {}", about.trim_end_matches('.'));
        }
        list.push('\n');
    }
    program.help_template(format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}"))
}

#[cfg(test)]
mod tests {
    use super::GROUPS;
    use crate::commands::program;

    #[test]
    fn every_command_stands_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let mut program = program();
        program.build();
        let mut commands: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
        grouped.sort_unstable();
        commands.sort_unstable();
        assert_eq!(grouped, commands);
    }

    #[test]
    fn the_overview_fits_a_terminal() {
        let help = program().render_help().to_string();
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
        assert!(help.contains("Measure:\n  evaluate "), "{help}");
    }

    #[test]
    fn arguments_are_consistent() {
        program().debug_assert();
    }

    #[test]
    fn every_argument_of_every_command_is_explained() {
        fn check(command: &clap::Command, path: &str) {
            let path = format!("{path} {}", command.get_name());
            assert!(command.get_about().is_some(), "{path} does not say what it does");
            for argument in command.get_arguments() {
                let said = argument.get_help().or(argument.get_long_help());
                assert!(said.is_some(), "{path}: {} is not explained", argument.get_id());
            }
            command.get_subcommands().for_each(|inner| check(inner, &path));
        }
        check(&program(), "");
    }
}
