//! Conversations with the engine.

use super::{LineEngine, run_engine};
use crate::wire::BridgePlayer;
use crate::wire::lines_of;
use std::sync::Arc;
use std::sync::mpsc::channel;
use tablut_players::Searcher;
use tablut_rules::{Game, Rules, Side};
use tablut_search::UniformEvaluator;

fn engine() -> LineEngine {
    let net = Searcher::new(Box::new(UniformEvaluator), 1);
    LineEngine::new(
        "tablut test".to_owned(),
        BridgePlayer::Net(Box::new(net)),
        32,
        Arc::new(Rules::named("kvasir").unwrap()),
    )
}

/// The lines that the engine answers to `input`.
fn answers(input: &str) -> Vec<String> {
    let (sender, receiver) = channel();
    input.lines().for_each(|line| sender.send(Ok(line.to_owned())).unwrap());
    drop(sender);
    let mut output = Vec::new();
    run_engine(&mut engine(), &receiver, &mut output).unwrap();
    String::from_utf8(output).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn it_introduces_itself_and_moves() {
    let lines = answers("uci\nisready\nucinewgame\nposition startpos moves d1-d3\ngo nodes 40\nquit\nisready\n");
    assert_eq!(lines[0], "id name tablut test");
    assert!(lines.contains(&"uciok".to_owned()) && lines.contains(&"readyok".to_owned()), "{lines:?}");
    let best = lines.last().unwrap().strip_prefix("bestmove ").unwrap();
    let mut game = Game::new(Arc::new(Rules::named("kvasir").unwrap()), Side::Attackers);
    game.play("d1-d3".parse().unwrap()).unwrap();
    game.play(best.parse().unwrap()).unwrap();
    let info: Vec<&String> = lines.iter().filter(|line| line.starts_with("info nodes ")).collect();
    assert!(!info.is_empty() && info.iter().all(|line| line.contains(" value ") && line.contains(" pv ")), "{lines:?}");
}

#[test]
fn the_last_info_has_the_whole_line_of_the_chosen_move() {
    let lines = answers("position startpos moves d1-d3\ngo nodes 400\n");
    let best = lines.last().unwrap().strip_prefix("bestmove ").unwrap();
    let info = lines.iter().rfind(|line| line.starts_with("info nodes ")).unwrap();
    let (_, line) = info.split_once(" pv ").unwrap();
    assert!(line.starts_with(best) && line.split_whitespace().count() > 1, "{lines:?}");
}

#[test]
fn rules_and_positions_can_be_set() {
    let lines = answers(
        "setoption name Rules value ashton\nposition startpos moves e3-c3\ngo nodes 4\n\
         position board 9/9/9/4t4/9/2K6/9/9/3t5 d\ngo nodes 8\n",
    );
    let bests: Vec<&String> = lines.iter().filter(|line| line.starts_with("bestmove")).collect();
    assert_eq!(bests.len(), 2, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("proven defenders 1")) || bests[1].contains("c4"), "{lines:?}");
}

#[test]
fn an_invalid_command_changes_nothing() {
    let lines = answers(
        "castle\nposition startpos moves e5-e7\nposition board 9/9 a\nsetoption name Rules value chess\ngo nodes 0\n",
    );
    assert_eq!(lines.iter().filter(|line| line.starts_with("error ")).count(), 4, "{lines:?}");
    assert!(lines[1].contains("ply 1") && lines[1].contains("e5-e7"), "{lines:?}");
    assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
}

#[test]
fn stop_ends_a_search_without_end_and_later_lines_are_kept() {
    let lines = answers("go movetime 3600000\nisready\nposition startpos moves d1-d3\nstop\ngo nodes 4\n");
    assert!(lines.contains(&"readyok".to_owned()), "{lines:?}");
    let bests: Vec<&String> = lines.iter().filter(|line| line.starts_with("bestmove")).collect();
    assert_eq!(bests.len(), 2, "{lines:?}");
    let rules = Arc::new(Rules::named("kvasir").unwrap());
    let mut game = Game::new(rules, Side::Attackers);
    game.play("d1-d3".parse().unwrap()).unwrap();
    game.play(bests[1][9..].parse().unwrap()).expect("the position that was sent while it thought");
}

/// Numbers of the lines that begin with `word`.
fn places(lines: &[String], word: &str) -> Vec<usize> {
    lines.iter().enumerate().filter(|(_, line)| line.starts_with(word)).map(|(number, _)| number).collect()
}

#[test]
fn clocks_limit_a_search() {
    let lines = answers("go atime 2000 dtime 1 movestogo 10\ngo atime 60000 movestogo 1 nodes 4\n");
    assert_eq!(places(&lines, "bestmove ").len(), 2, "{lines:?}");
    assert_eq!(places(&lines, "error"), [0; 0], "{lines:?}");
}

#[test]
fn a_depth_ends_a_search_at_a_line_of_that_length() {
    let lines = answers("go depth 3\n");
    let info = lines.iter().rfind(|line| line.starts_with("info nodes ")).unwrap();
    assert!(info.split_once(" pv ").unwrap().1.split_whitespace().count() >= 3, "{lines:?}");
}

#[test]
fn an_infinite_search_answers_after_stop_even_if_it_has_ended() {
    // One move wins, so the search ends at once.
    let lines = answers("position board 9/9/9/4t4/9/2K6/9/9/3t5 d\ngo infinite\nisready\nponderhit\nisready\nstop\n");
    assert_eq!(places(&lines, "readyok").len(), 2, "{lines:?}");
    assert!(places(&lines, "bestmove")[0] > places(&lines, "readyok")[1], "{lines:?}");
}

#[test]
fn pondering_ends_with_stop_or_some_time_after_ponderhit() {
    for last in ["stop\n", "ponderhit\n"] {
        let input =
            format!("position startpos moves d1-d3\ngo ponder atime 600 dtime 600 movestogo 2\nisready\n{last}");
        let lines = answers(&input);
        assert!(places(&lines, "bestmove")[0] > places(&lines, "readyok")[0], "{lines:?}");
    }
}

/// The simulations of the last `info` line.
fn nodes(lines: &[String]) -> u32 {
    let info = lines.iter().rfind(|line| line.starts_with("info nodes ")).unwrap();
    info.split_whitespace().nth(2).unwrap().parse().unwrap()
}

#[test]
fn the_end_of_the_input_stops_a_search_that_has_no_other_end() {
    for go in
        ["go infinite", "go ponder", "go movetime 3600000", "go atime 3600000 dtime 3600000", "go ponder depth 90"]
    {
        let lines = answers(&format!("position startpos moves d1-d3\n{go}\n"));
        assert!(lines.last().unwrap().starts_with("bestmove ") && nodes(&lines) < 1000, "{go}: {lines:?}");
    }
    assert!(nodes(&answers("go nodes 2000\n")) >= 2000, "a script waits for this answer");
}

#[test]
fn after_ponderhit_the_option_simulations_counts() {
    let lines = answers("setoption name Simulations value 200\ngo ponder\nponderhit\n");
    assert!((200..400).contains(&nodes(&lines)), "{lines:?}");
}

#[test]
fn a_game_that_is_over_has_no_best_move() {
    assert_eq!(answers("position board 9/9/9/4t4/9/9/9/9/K2t5 a\ngo\n"), ["bestmove none"]);
}

#[test]
fn the_rest_of_a_line_that_is_too_long_is_not_executed() {
    let input = format!("{}quit\nisready\n", "x".repeat(1 << 16));
    let mut output = Vec::new();
    run_engine(&mut engine(), &lines_of(std::io::Cursor::new(input)), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    assert!(output.starts_with("error a line of 65540 bytes") && output.ends_with("\nreadyok\n"), "{output}");
}
