//! Games over TCP: our client against our referee, and peers that misbehave.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tablut_players::{Baseline, PlayerSpec};
use tablut_protocols::challenge::client::{ClientEnd, ClientOptions, ClientReport, play};
use tablut_protocols::challenge::frame::{read_frame, write_frame};
use tablut_protocols::challenge::message::{ChallengeState, Turn};
use tablut_protocols::challenge::referee::{RefereeOptions, RefereeReport, serve};
use tablut_protocols::challenge::{ChallengeError, client};
use tablut_rules::{Game, Move, Outcome, Position, Reason, Rules, Side};

const WAIT: Duration = Duration::from_secs(20);

fn rules() -> Arc<Rules> {
    Arc::new(Rules::named("ashton").unwrap())
}

fn options(move_time: Duration) -> RefereeOptions {
    RefereeOptions { rules: rules(), move_time, join_time: WAIT }
}

fn play_as(port: u16, side: Side, player: &str) -> Result<ClientReport, ChallengeError> {
    let rules = rules();
    let mut player = Baseline::new(&player.parse::<PlayerSpec>().unwrap(), &rules, 4).unwrap();
    let stream = client::connect("127.0.0.1", side, Some(port))?;
    let options = ClientOptions { side, name: "tablut".to_owned(), rules, wait: WAIT };
    play(&stream, &options, &mut |game| Ok(player.choose(game)))
}

/// Referees a game between a well-behaved attackers' client and a connection on which `defenders` does anything.
fn with_defenders(
    move_time: Duration,
    defenders: impl FnOnce(TcpStream) + Send,
) -> (Result<RefereeReport, ChallengeError>, Result<ClientReport, ChallengeError>) {
    let (white, black) = (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let (white_port, black_port) = (white.local_addr().unwrap().port(), black.local_addr().unwrap().port());
    thread::scope(|scope| {
        let attackers = scope.spawn(move || play_as(black_port, Side::Attackers, "greedy"));
        scope.spawn(move || defenders(TcpStream::connect(("127.0.0.1", white_port)).unwrap()));
        let report = serve(&white, &black, &options(move_time), &mut |_, _| {});
        drop((white, black));
        (report, attackers.join().unwrap())
    })
}

fn name(stream: &mut TcpStream) {
    write_frame(stream, "referee", "\"rogue\"").unwrap();
}

fn forfeit(report: &RefereeReport) -> &str {
    assert_eq!(report.outcome, Outcome::forfeit(Side::Defenders), "{report:?}");
    report.forfeit.as_deref().unwrap()
}

#[test]
fn our_client_plays_a_whole_game_against_our_referee() {
    let (white, black) = (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let (white_port, black_port) = (white.local_addr().unwrap().port(), black.local_addr().unwrap().port());
    let mut n_reported = 0;
    let (report, clients) = thread::scope(|scope| {
        let defenders = scope.spawn(move || play_as(white_port, Side::Defenders, "alphabeta:1"));
        let attackers = scope.spawn(move || play_as(black_port, Side::Attackers, "greedy"));
        let report = serve(&white, &black, &options(WAIT), &mut |_, _| n_reported += 1).unwrap();
        (report, [attackers.join().unwrap().unwrap(), defenders.join().unwrap().unwrap()])
    });
    assert_eq!(n_reported, report.moves.len());
    assert_eq!(report.names, ["tablut", "tablut"]);
    let mut game = Game::new(rules(), Side::Defenders);
    for &mv in &report.moves {
        game.play(mv).unwrap();
    }
    assert_eq!(game.outcome(), Some(report.outcome));
    for client in clients {
        assert_eq!((client.end, &client.moves), (ClientEnd::Result(report.outcome.winner), &report.moves));
    }
}

#[test]
fn a_player_that_breaks_the_protocol_loses_and_the_other_receives_the_result() {
    type Rogue = fn(TcpStream);
    let rogues: [(&str, Rogue, &str); 5] = [
        (
            "illegal move",
            |mut s| {
                name(&mut s);
                write_frame(&mut s, "referee", r#"{"from":"e5","to":"e9","turn":"WHITE"}"#).unwrap();
                let _ = s.read(&mut [0; 4096]);
            },
            "e5-e9",
        ),
        (
            "garbage",
            |mut s| {
                name(&mut s);
                write_frame(&mut s, "referee", "hello").unwrap();
                let _ = s.read(&mut [0; 4096]);
            },
            "hello",
        ),
        (
            "oversize",
            |mut s| {
                name(&mut s);
                s.write_all(&i32::MAX.to_be_bytes()).unwrap();
                let _ = s.read(&mut [0; 4096]);
            },
            "2147483647 bytes",
        ),
        (
            "half a frame",
            |mut s| {
                name(&mut s);
                s.write_all(b"\0\0\0\x20{\"from\"").unwrap();
            },
            "",
        ),
        ("leaves", |mut s| name(&mut s), ""),
    ];
    for (what, rogue, reason) in rogues {
        let (report, client) = with_defenders(WAIT, rogue);
        let report = report.unwrap();
        assert!(forfeit(&report).contains(reason), "{what}: {report:?}");
        assert_eq!(client.unwrap().end, ClientEnd::Result(Some(Side::Attackers)), "{what}");
    }
}

#[test]
fn a_silent_player_loses_on_time() {
    let (report, client) = with_defenders(Duration::from_millis(100), |mut s| {
        name(&mut s);
        // It reads the referee's messages until the referee closes the connection.
        while s.read(&mut [0; 4096]).is_ok_and(|n| n > 0) {}
    });
    let report = report.unwrap();
    assert!(forfeit(&report).contains("sent nothing"), "{report:?}");
    assert_eq!(client.unwrap().end, ClientEnd::Result(Some(Side::Attackers)));
}

#[test]
fn names_and_moves_are_read_like_the_contest_s_referee_reads_them() {
    let (report, client) = with_defenders(WAIT, |mut s| {
        write_frame(&mut s, "referee", "The Team").unwrap();
        write_frame(&mut s, "referee", r#"{"from":"E4","to":"d4","turn":"BLACK","_turn":1}"#).unwrap();
        write_frame(&mut s, "referee", "resigns").unwrap();
        while s.read(&mut [0; 4096]).is_ok_and(|n| n > 0) {}
    });
    let report = report.unwrap();
    assert_eq!(report.names[Side::Defenders.index()], "The Team");
    assert_eq!(report.moves[0].to_string(), "e4-d4");
    assert!(forfeit(&report).contains("resigns"), "{report:?}");
    assert_eq!(client.unwrap().end, ClientEnd::Result(Some(Side::Attackers)));
}

#[test]
fn stray_connections_do_not_block_a_game() {
    let (white, black) = (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let (white_port, black_port) = (white.local_addr().unwrap().port(), black.local_addr().unwrap().port());
    let stray = |port| TcpStream::connect(("127.0.0.1", port)).unwrap();
    // One connection closes, one is silent, and one sends half a frame.
    drop(stray(white_port));
    let _silent = stray(white_port);
    let mut half = stray(black_port);
    half.write_all(b"\0\0").unwrap();
    let report = thread::scope(|scope| {
        scope.spawn(move || play_as(white_port, Side::Defenders, "greedy"));
        scope.spawn(move || play_as(black_port, Side::Attackers, "greedy"));
        serve(&white, &black, &options(WAIT), &mut |_, _| {})
    });
    assert_eq!(report.unwrap().forfeit, None);
}

/// Runs our client for the defenders against a referee that does anything and closes the connection.
fn against_referee(referee: impl FnOnce(TcpStream) + Send) -> Result<ClientReport, ChallengeError> {
    let mut player = Baseline::new(&PlayerSpec::Greedy, &rules(), 4).unwrap();
    client_against_referee(WAIT, &mut |game| Ok(player.choose(game)), referee)
}

fn client_against_referee(
    wait: Duration,
    choose: &mut dyn FnMut(&Game) -> Result<Move, String>,
    referee: impl FnOnce(TcpStream) + Send,
) -> Result<ClientReport, ChallengeError> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::scope(|scope| {
        scope.spawn(move || referee(listener.accept().unwrap().0));
        let stream = client::connect("127.0.0.1", Side::Defenders, Some(port))?;
        let options = ClientOptions { side: Side::Defenders, name: "tablut".to_owned(), rules: rules(), wait };
        play(&stream, &options, choose)
    })
}

fn start_text() -> String {
    serde_json::to_string(&ChallengeState::of(&Position::start(Side::Defenders))).unwrap()
}

#[test]
fn a_referee_that_closes_the_connection_without_a_result_is_reported() {
    let error = against_referee(|mut s| {
        read_frame(&mut s, "client", WAIT).unwrap();
        write_frame(&mut s, "client", &start_text()).unwrap();
        read_frame(&mut s, "client", WAIT).unwrap();
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("without a result") && error.contains("time is over"), "{error}");
}

/// Sends a state as the referee does.
fn sent(stream: &mut TcpStream, state: &ChallengeState) {
    write_frame(stream, "client", &serde_json::to_string(state).unwrap()).unwrap();
}

#[test]
fn the_contest_s_final_board_is_no_error() {
    // The attackers capture the king on d4, and the contest's referee leaves him there.
    let before: Position = "9/9/9/9/9/1t1Kt4/9/9/9 a".parse().unwrap();
    let after: Position = "9/9/9/9/9/2tKt4/9/9/9 d".parse().unwrap();
    let last = ChallengeState { turn: Turn::BlackWin, ..ChallengeState::of(&after) };
    let captured = against_referee(|mut s| {
        read_frame(&mut s, "client", WAIT).unwrap();
        sent(&mut s, &ChallengeState::of(&before));
        sent(&mut s, &last);
    });
    let captured = captured.unwrap();
    assert_eq!(captured.end, ClientEnd::Result(Some(Side::Attackers)));
    assert_eq!(captured.moves, ["b4-c4".parse().unwrap()]);
    // A result counts whatever the board shows.
    let strange = against_referee(|mut s| {
        read_frame(&mut s, "client", WAIT).unwrap();
        sent(&mut s, &ChallengeState::of(&before));
        sent(&mut s, &ChallengeState { turn: Turn::WhiteWin, ..ChallengeState::of(&Position::start(Side::Attackers)) });
    });
    assert_eq!(strange.unwrap().end, ClientEnd::Result(Some(Side::Defenders)));
}

#[test]
fn an_opponent_out_of_time_is_no_error() {
    let start = Position::start(Side::Attackers);
    let report = against_referee(|mut s| {
        read_frame(&mut s, "client", WAIT).unwrap();
        sent(&mut s, &ChallengeState::of(&start));
    });
    assert_eq!(report.unwrap().end, ClientEnd::OpponentOutOfTime);
}

#[test]
fn a_side_without_a_legal_move_sends_none_and_says_so() {
    let before: Position = "9/3t1t3/3tTTt2/2ttTKt2/5t3/9/9/8t/6t2 a".parse().unwrap();
    let stuck: Position = "9/3t1t3/3tTTt2/2ttTKt2/5t3/9/9/9/6t1t d".parse().unwrap();
    let lost = Outcome { winner: Some(Side::Attackers), reason: Reason::NoMoves };
    // The contest's referee waits for a move and then closes the connection.
    for states in [&[stuck][..], &[before, stuck]] {
        let report = against_referee(|mut s| {
            read_frame(&mut s, "client", WAIT).unwrap();
            for position in states {
                sent(&mut s, &ChallengeState::of(position));
            }
        });
        let report = report.unwrap();
        assert_eq!((report.end, report.moves.len()), (ClientEnd::Unended(lost), states.len() - 1));
    }
    // A result counts.
    let report = against_referee(|mut s| {
        read_frame(&mut s, "client", WAIT).unwrap();
        sent(&mut s, &ChallengeState::of(&stuck));
        sent(&mut s, &ChallengeState { turn: Turn::Draw, ..ChallengeState::of(&stuck) });
    });
    assert_eq!(report.unwrap().end, ClientEnd::Result(None));
}

#[test]
fn a_game_that_our_rules_end_continues_if_the_referee_continues() {
    let moves = ["i2-i1", "d4-d3", "i1-i2", "d3-d4"].map(|text| text.parse::<Move>().unwrap());
    let start: Position = "9/9/9/9/9/3K5/9/8t/9 a".parse().unwrap();
    let mut ours = [moves[1], moves[3]].into_iter().cycle();
    let mut choose = |game: &Game| {
        assert_eq!(game.outcome(), None);
        Ok(ours.next().unwrap())
    };
    // The position after ply 5 is the one after ply 1: by our rules a draw.
    let report = client_against_referee(WAIT, &mut choose, |mut s| {
        read_frame(&mut s, "client", WAIT).unwrap();
        let mut position = start;
        sent(&mut s, &ChallengeState::of(&position));
        for mv in moves.iter().cycle().take(8) {
            if position.side_to_move() == Side::Defenders {
                read_frame(&mut s, "client", WAIT).unwrap();
            }
            position = rules().apply(&position, *mv).position;
            sent(&mut s, &ChallengeState::of(&position));
        }
        sent(&mut s, &ChallengeState { turn: Turn::WhiteWin, ..ChallengeState::of(&position) });
    });
    let report = report.unwrap();
    assert_eq!((report.end, report.moves.len()), (ClientEnd::Result(Some(Side::Defenders)), 8));
}

#[test]
fn the_first_state_may_take_longer_than_a_move() {
    let mut unasked = |_: &Game| panic!("the game is over");
    let report = client_against_referee(Duration::ZERO, &mut unasked, |mut s| {
        read_frame(&mut s, "client", WAIT).unwrap();
        // Meanwhile the other player joins. A client that gives up closes the connection.
        s.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        let found = s.read(&mut [0]).map_err(|error| error.kind());
        assert!(matches!(found, Err(ErrorKind::WouldBlock | ErrorKind::TimedOut)), "{found:?}");
        let last = ChallengeState::of(&Position::start(Side::Defenders));
        sent(&mut s, &ChallengeState { turn: Turn::BlackWin, ..last });
    });
    assert_eq!(report.unwrap().end, ClientEnd::Result(Some(Side::Attackers)));
}

#[test]
fn a_refused_move_is_not_sent_twice() {
    let error = against_referee(|mut s| {
        read_frame(&mut s, "client", WAIT).unwrap();
        for _ in 0..2 {
            write_frame(&mut s, "client", &start_text()).unwrap();
        }
        read_frame(&mut s, "client", WAIT).unwrap();
        // Nothing more arrives: the client has closed the connection.
        assert!(matches!(read_frame(&mut s, "client", WAIT), Err(ChallengeError::Closed { .. })));
    });
    assert!(matches!(error, Err(ChallengeError::Refused { .. })), "{error:?}");
}

#[test]
fn impossible_states_are_reported() {
    let jumped = "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/9/3ttt3 a".parse::<Position>().unwrap();
    let jumped = serde_json::to_string(&ChallengeState::of(&jumped)).unwrap();
    let start = start_text();
    let empty = start.replacen("\"EMPTY\",", "", 1);
    for (second, part) in [(jumped.as_str(), "no legal move leads from"), ("{}", "board"), (empty.as_str(), "9 rows")] {
        let error = against_referee(|mut s| {
            read_frame(&mut s, "client", WAIT).unwrap();
            write_frame(&mut s, "client", &start).unwrap();
            read_frame(&mut s, "client", WAIT).unwrap();
            write_frame(&mut s, "client", second).unwrap();
        });
        let error = error.unwrap_err().to_string();
        assert!(error.contains(part), "{part}: {error}");
    }
}
