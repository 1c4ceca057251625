//! Conversations with the engine.

use super::followed_game::{Followed, FollowedGame};
use super::{OpenTaflEngine, Pace, run_opentafl};
use crate::wire::BridgePlayer;
use std::sync::Arc;
use std::sync::mpsc::channel;
use tablut_players::{Baseline, Searcher};
use tablut_rules::{Game, Move, MoveList, MoveText, Rules, Side};
use tablut_search::UniformEvaluator;

/// OpenTafl's line for games by the rules `masters-edge`.
const RULES: &str = "rules dim:9 name:Edge esc:e surf:n atkf:y ka:n ks:m cen: cor: cenhe: cenh: corh: \
                     start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/";
const START: &str = "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/";

const PACE: Pace = Pace { most: None, simulations: 24 };

/// The lines that an engine with a net answers to `input`, without its greeting.
fn answers(input: &[&str]) -> Vec<String> {
    let net = Searcher::new(Box::new(UniformEvaluator), 1);
    answers_of(BridgePlayer::Net(Box::new(net)), input)
}

fn answers_of(player: BridgePlayer, input: &[&str]) -> Vec<String> {
    let (sender, receiver) = channel();
    for line in input {
        sender.send(Ok((*line).to_owned())).unwrap();
    }
    drop(sender);
    let mut output = Vec::new();
    run_opentafl(&mut OpenTaflEngine::new(player, PACE), &receiver, &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    let mut lines = output.lines().map(str::to_owned);
    assert_eq!(lines.next().as_deref(), Some("hello"));
    assert_eq!(lines.next().as_deref(), Some("simple-moves on"));
    lines.collect()
}

fn moves(answers: &[String]) -> Vec<Move> {
    answers.iter().filter_map(|line| line.strip_prefix("move ")).map(|text| text.parse().unwrap()).collect()
}

fn game() -> Game {
    Game::new(Arc::new(Rules::named("masters-edge").unwrap()), Side::Attackers)
}

fn after(moves: &[&str]) -> Game {
    let mut game = game();
    for mv in moves {
        game.play(mv.parse().unwrap()).unwrap();
    }
    game
}

fn board(game: &Game) -> String {
    game.position().to_opentafl()
}

#[test]
fn the_end_of_the_input_stops_an_analysis() {
    let lines = answers(&[RULES, "analyze 2 86400"]);
    assert!(lines.iter().any(|line| line.starts_with("analysis ")), "{lines:?}");
}

#[test]
fn it_plays_a_game() {
    // The other side's reply must fit the engine's first move, so that move is requested first. Without a clock it is
    // the same each time.
    let first = moves(&answers(&[RULES, "play attackers"]))[0];
    let mut game = game();
    game.play(first).unwrap();
    let made = format!("move {}", board(&game));
    let mut replies = MoveList::new();
    game.legal_moves(&mut replies);
    let reply = replies[0];
    game.play(reply).unwrap();
    let announced = format!("opponent-move {reply} {}", board(&game));
    let lines = answers(&[RULES, "play attackers", &made, &announced, "clock 500* 60000 0 1 0", "play attackers"]);
    let moves = moves(&lines);
    assert_eq!(moves.len(), 2, "{lines:?}");
    game.play(moves[1]).unwrap();
    assert!(lines.iter().all(|line| line.starts_with("move ") || line.starts_with("status ")), "{lines:?}");
    assert_eq!(answers(&[RULES, "finish 2", "goodbye", "play attackers"]), Vec::<String>::new());
    assert!(lines[0].contains(" simulations, value ") && lines[0].contains(&first.to_string()), "{lines:?}");
}

#[test]
fn a_resumed_game_has_several_moves_in_one_line() {
    // A resumed game: all its moves arrive at once.
    let game = after(&["d1-d2", "e3-c3", "i4-h4"]);
    let announced = format!("opponent-move d1-d2|e3-c3|i4-h4 {}", board(&game));
    let lines = answers(&[RULES, &announced, "play defenders"]);
    let mut game = game;
    game.play(moves(&lines)[0]).unwrap();
    assert!(!lines.iter().any(|line| line.contains("does not follow")), "{lines:?}");
}

#[test]
fn a_move_that_was_not_made_is_followed_by_another() {
    let game = after(&["d1-d2"]);
    let announced = format!("opponent-move d1-d2 {}", board(&game));
    let refusal = ["error 2", &announced, "play defenders"];
    let mut input = vec![RULES, &announced, "play defenders"];
    (0..3).for_each(|_| input.extend(refusal));
    let lines = answers(&input);
    let moves = moves(&lines);
    assert_eq!(moves.len(), 4, "{lines:?}");
    for (index, mv) in moves.iter().enumerate() {
        assert!(game.clone().play(*mv).is_ok() && !moves[..index].contains(mv), "{moves:?}");
    }
    assert_eq!(lines.iter().filter(|line| line.contains("was not made")).count(), 3, "{lines:?}");
}

#[test]
fn a_player_without_a_net_has_another_move_as_well() {
    let rules = game().rules().clone();
    let greedy = BridgePlayer::Baseline(Baseline::new(&"alphabeta:1".parse().unwrap(), &rules, 1).unwrap());
    let announced = format!("opponent-move d1-d2 {}", board(&after(&["d1-d2"])));
    let lines = answers_of(greedy, &[RULES, &announced, "play defenders", "error 2", &announced, "play defenders"]);
    let moves = moves(&lines);
    assert!(moves.len() == 2 && moves[0] != moves[1], "{lines:?}");
}

#[test]
fn a_game_continues_from_a_board_that_no_move_leads_to() {
    let other = "/3ttt3/9/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/";
    let lines = answers(&[RULES, &format!("opponent-move d1-d2 {other}"), "play attackers"]);
    assert!(lines[0].starts_with("status this board does not follow"), "{lines:?}");
    let position = tablut_rules::Position::read(other, Some(Side::Attackers)).unwrap();
    let mut game = Game::from_position(game().rules().clone(), position).unwrap();
    game.play(moves(&lines)[0]).unwrap();
}

#[test]
fn positions_are_analysed() {
    let near = "position /4t4/9/9/9/2K6/9/9/9/3t5/";
    let lines = answers(&[RULES, near, "side defenders", "clock 1000 1000 0 0 0", "analyze 3 1"]);
    let words: Vec<&str> = lines.last().unwrap().split(' ').collect();
    let n: usize = words[1].parse().unwrap();
    assert!(words[0] == "analysis" && (1..=3).contains(&n) && words.len() == 2 + 2 * n, "{lines:?}");
    // The defenders escape at once. Values are the attackers'.
    assert_eq!(words[3], "-1.000", "{lines:?}");
    let rules = game().rules().clone();
    let position = tablut_rules::Position::read(&near[9..], Some(Side::Defenders)).unwrap();
    let mut game = Game::from_position(rules, position).unwrap();
    for mv in words[2].split('|') {
        game.play(mv.parse().unwrap()).unwrap();
    }
    assert_eq!(game.outcome().and_then(|outcome| outcome.winner), Some(Side::Defenders));
}

#[test]
fn unsupported_rules_end_the_game_when_a_move_is_requested() {
    let other = RULES.replace("surf:n", "kj:y");
    let lines = answers(&[RULES, "rules dim:11 start:/9/", "analyze 1 1", &other, "play attackers"]);
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(
        lines[0].starts_with("error 0 line of rules: \"/9/\" is no position: 1 rows, expected 7, 9 or 11"),
        "{lines:?}"
    );
    assert!(lines[1].starts_with("error 0 no game has begun"), "the game before is over: {lines:?}");
    assert!(lines[2].starts_with("error 0 ") && lines[2].contains("jumping kings"), "{lines:?}");
    assert!(lines[3].starts_with("error -1 no game has begun"), "{lines:?}");
    assert!(lines.iter().all(|line| line.is_ascii()), "{lines:?}");
}

#[test]
fn a_replay_may_come_to_a_board_without_a_king() {
    let (fallen, before) = ("position /9/9/9/3tt4/9/9/9/9/9/", "position /9/9/9/3tK4/9/9/9/9/9/");
    let lines = answers(&[RULES, fallen, "side defenders", "analyze 1 1", before, "side defenders", "analyze 1 1"]);
    assert_eq!(lines[0], "error 0 no move is possible: there is no king on the board");
    assert!(lines.last().unwrap().starts_with("analysis 1 e4-"), "{lines:?}");
}

#[test]
fn surrounded_defenders_lose_here_too() {
    assert_eq!(answers(&[&RULES.replace("surf:n ", "")]), [] as [&str; 0]);
}

#[test]
fn an_invalid_command_changes_nothing() {
    let lines = answers(&[
        RULES,
        "castle",
        "clock 1",
        "position /9/",
        "play white",
        &format!("opponent-move d1^d2 {START}"),
        "play attackers",
    ]);
    let errors: Vec<&String> = lines.iter().filter(|line| line.starts_with("error ")).collect();
    assert_eq!(errors.len(), 5, "{lines:?}");
    assert!(errors[0].contains("castle: unknown command") && errors[3].starts_with("error -1 white"), "{lines:?}");
    game().play(moves(&lines)[0]).unwrap();
}

#[test]
fn moves_are_followed_even_if_they_lead_back() {
    let mut followed = FollowedGame::new(game().rules().clone(), *game().position()).unwrap();
    let there_and_back: Vec<MoveText> =
        ["d1-d2", "e3-d3", "d2-d1", "d3-e3"].iter().map(|text| text.parse().unwrap()).collect();
    let start = *game().position();
    assert_eq!(followed.follow(&there_and_back, &start), Followed::ByMoves);
    assert_eq!(followed.open_game().map(|game| game.ply()), Ok(4));
    // If the last of them is sent again, nothing changes.
    assert_eq!(followed.follow(&there_and_back[3..], &start), Followed::AlreadyThere);
    assert_eq!(followed.open_game().map(|game| game.ply()), Ok(4));
}

#[test]
fn a_game_that_is_over_under_our_rules_may_continue() {
    // Under these rules the third occurrence is a draw, but OpenTafl requests a move.
    let there_and_back = ["d1-d2", "e3-d3", "d2-d1", "d3-e3"].repeat(2);
    let drawn = after(&there_and_back);
    assert!(drawn.outcome().is_some());
    let lines = answers(&[RULES, &format!("opponent-move {} {START}", there_and_back.join("|")), "play attackers"]);
    assert!(!lines.iter().any(|line| line.contains("does not follow")), "{lines:?}");
    game().play(moves(&lines)[0]).unwrap();
    // The king has escaped, so no move is possible.
    let lines = answers(&[RULES, "position /3K5/9/9/9/t8/9/9/9/9/", "play attackers", "analyze 1 1"]);
    assert!(lines[0].starts_with("error -1 no move is possible: "), "{lines:?}");
    assert!(lines[1].starts_with("error 0 no move is possible: "), "{lines:?}");
}

#[test]
fn the_end_of_the_game_and_the_clock_are_read_while_it_thinks() {
    // An hour's share would outlast the test.
    let slow = "clock 360000000 360000000 0 0 0";
    assert_eq!(answers(&[RULES, slow, "play attackers", "finish 0"]), Vec::<String>::new());
    assert_eq!(answers(&[RULES, slow, "play attackers", "goodbye"]), Vec::<String>::new());
    let lines = answers(&[RULES, slow, "play attackers", "clock 300* 1000 0 1 1"]);
    assert_eq!(moves(&lines).len(), 1, "{lines:?}");
    // Another position ends an analysis early, with an answer.
    let lines =
        answers(&[RULES, "analyze 1 3600", "position /3t5/9/9/9/4K4/9/9/9/9/", "side attackers", "analyze 1 1"]);
    assert_eq!(lines.iter().filter(|line| line.starts_with("analysis 1 ")).count(), 2, "{lines:?}");
}
