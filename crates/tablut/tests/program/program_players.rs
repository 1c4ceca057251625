//! Other programs as players of a match: this program's bridges over pipes and TCP, and programs that break the
//! protocol.
#![cfg(unix)]

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

const TABLUT: &str = env!("CARGO_BIN_EXE_tablut");

/// A match of two games.
fn play(players: [&str; 2], more: &[&str]) -> Output {
    let arguments = [&["match", players[0], players[1], "--games", "2", "--threads", "2", "--json"], more].concat();
    Command::new(TABLUT).args(arguments).output().unwrap()
}

fn report(output: &Output) -> Value {
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    let tournament: Value = serde_json::from_slice(&output.stdout).expect("JSON alone is printed");
    tournament["matches"][0].clone()
}

/// An engine that is a shell script. It becomes ready, and runs `at_go` when it is to move.
fn scripted(at_go: &str) -> String {
    format!(
        "engine:sh -c 'while read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; go*) {at_go};; \
         esac; done'@100ms"
    )
}

#[test]
fn our_engine_plays_over_pipes() {
    let engine = format!("engine:{TABLUT} bridge engine --player alphabeta:2");
    let report = report(&play([&engine, "greedy"], &["--rules", "imperial"]));
    assert_eq!((report["games"].clone(), report["forfeits"].clone()), (2.into(), serde_json::json!([0, 0])));
    assert!(report["total"]["score"]["mean"].as_f64().unwrap() > 0.5, "{report}");
}

#[test]
fn an_engine_receives_the_rules_of_a_file_and_games_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, games) = (folder.path().join("mine.toml"), folder.path().join("games.jsonl"));
    // These are imperial's rules with another name. An engine that received only the name would play by wrong rules.
    fs::write(&rules, "base = \"imperial\"\nname = \"kvasir\"\n").unwrap();
    let engine = format!("engine:{TABLUT} bridge engine --player greedy@50");
    let more = ["--rules", text(&rules), "--save-games", text(&games)];
    let first = report(&play([&engine, "random"], &more));
    assert_eq!((first["games"].clone(), first["forfeits"].clone()), (2.into(), serde_json::json!([0, 0])));
    assert_eq!(lines(&games).len(), 2);
    assert_eq!(report(&play([&engine, "random"], &more)), first, "a finished file gives its result again");
}

#[test]
fn our_challenge_client_plays_over_tcp() {
    let client = format!(
        "challenge:{TABLUT} bridge challenge --side {{role}} --host {{host}} --port {{port}} \
                          --seconds {{seconds}} --player greedy@20s"
    );
    let report = report(&play([&client, "random"], &["--rules", "ashton"]));
    assert_eq!((report["games"].clone(), report["forfeits"].clone()), (2.into(), serde_json::json!([0, 0])));
    let both = [client.as_str(), &client.replace("greedy", "random")];
    let report = self::report(&play(both, &["--rules", "ashton"]));
    assert_eq!(report["forfeits"], serde_json::json!([0, 0]));
}

/// An OpenTafl engine that is a shell script. It sends hello, and runs `at_play` when it is to move.
fn scripted_opentafl(at_play: &str) -> String {
    format!(
        "opentafl:sh -c 'echo log; echo hello; while read -r line; do case $line in play*) {at_play};; esac; done'@1s"
    )
}

/// The text of all files in a folder.
fn files_in(folder: &Path) -> String {
    fs::read_dir(folder).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect()
}

#[test]
fn our_engine_for_opentafl_plays_by_its_protocol() {
    let engine = format!("opentafl:{TABLUT} bridge opentafl --player alphabeta:2@20s");
    // OpenTafl's line of rules expresses piecepack completely, and kvasir except for repetitions.
    for rules in ["kvasir", "piecepack", "linnaeus", "ludoteka"] {
        let report = report(&play([&engine, "random"], &["--rules", rules]));
        assert_eq!((report["games"].clone(), report["forfeits"].clone()), (2.into(), serde_json::json!([0, 0])));
        assert!(report["total"]["score"]["mean"].as_f64().unwrap() > 0.5, "{rules}: {report}");
    }
    // A copy of the messages to the engine shows the game to its end.
    let folder = tempfile::tempdir().unwrap();
    let overheard =
        format!("opentafl:sh -c 'tee {}/$$ | {TABLUT} bridge opentafl --player alphabeta:2'", text(folder.path()));
    report(&play([&overheard, "random"], &["--rules", "kvasir"]));
    let heard = files_in(folder.path());
    assert!(heard.contains("\nmove /") && heard.contains("\nfinish ") && heard.contains("\ngoodbye\n"), "{heard}");
    let both = [engine.as_str(), &engine.replace("alphabeta:2", "greedy")];
    assert_eq!(report(&play(both, &["--rules", "masters"]))["forfeits"], serde_json::json!([0, 0]));
}

#[test]
fn an_opentafl_engine_receives_the_messages_of_its_protocol() {
    let folder = tempfile::tempdir().unwrap();
    // This engine sends every request of the protocol, and then an error instead of a move.
    let player = format!(
        "opentafl:sh -c 'echo hello; while read -r line; do echo \"$line\" >> {}/$$; case $line in play*) \
         echo position; echo side; echo clock; echo rules; sleep 0.3; echo status thinking; echo error -1 no more;; esac; done'@1s",
        text(folder.path())
    );
    let output = play([&player, "greedy"], &["--rules", "piecepack"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("answered \"error -1 no more\""), "{message}");
    assert_eq!(
        output.status.code(),
        Some(2),
        "an engine with an error before its first move cannot play these rules: {message}"
    );
    let heard = files_in(folder.path());
    for part in [
        "rules dim:9 name:piecepack esc:e surf:n atkf:y",
        "opponent-move ",
        "clock 1000* 1000* 1 100 100\nplay ",
        "\nposition /",
        "\nside ",
        "\nclock 1000* 1000* 1 100 100\nrules dim:9 ",
    ] {
        assert!(heard.contains(part), "{part}: {heard}");
    }
}

#[test]
fn an_opentafl_engine_can_request_detailed_moves() {
    let folder = tempfile::tempdir().unwrap();
    let asks = format!(
        "opentafl:sh -c 'tee {}/$$ | {TABLUT} bridge opentafl --player random | sed -u \"s/moves on/moves off/\"'",
        text(folder.path())
    );
    let report = report(&play([&asks, "greedy"], &[]));
    assert_eq!(report["forfeits"], serde_json::json!([0, 0]));
    let heard = files_in(folder.path());
    let told: Vec<&str> = heard.lines().filter(|line| line.starts_with("opponent-move ")).collect();
    // Detailed moves contain captures.
    assert!(told.iter().any(|line| line.split(' ').nth(1).unwrap().contains('x')), "{told:?}");
}

#[test]
fn an_opentafl_engine_that_breaks_the_protocol_loses_the_game() {
    for (at_play, part) in [
        ("echo move xyzzy", "sent \"xyzzy\", expected a move such as a4-b4"),
        ("echo move a1-a2", "sent an illegal move: a1-a2"),
        (
            "echo I fall >&2; exit 7",
            "ended while it was to move (exit status: 7); its standard error ends with \"I fall\"",
        ),
        ("echo well; sleep 1000", "sent no move within 3.0 s; its last line is \"well\""),
        ("while :; do echo status of mine; sleep 0.01; done", "sent no move within 3.0 s"),
    ] {
        let output = play([&scripted_opentafl(at_play), "greedy"], &[]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(part), "{at_play}: {message}");
        assert_eq!(report(&output)["forfeits"], serde_json::json!([2, 0]), "{at_play}");
    }
}

#[test]
fn an_engine_that_breaks_the_protocol_loses_the_game_and_the_match_continues() {
    for (at_go, part) in [
        (
            "echo I fall >&2; exit 7",
            "ended while it was to move (exit status: 7); its standard error ends with \"I fall\"",
        ),
        ("echo bestmove xyzzy", "answered \"bestmove xyzzy\", expected a move"),
        ("echo bestmove", "answered \"bestmove\", expected a move"),
        ("echo bestmove a1-a2", "sent an illegal move: a1-a2"),
        ("echo error no idea", "answered \"error no idea\""),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("games.jsonl");
        let player = scripted(at_go);
        let output = play([&player, "greedy"], &["--save-games", text(&games)]);
        let message = String::from_utf8_lossy(&output.stderr);
        for game in ["game 1: engine:sh", "game 2: engine:sh"] {
            assert!(message.contains(game) && message.contains(part), "{at_go}: {message}");
        }
        let report = report(&output);
        assert_eq!((report["forfeits"].clone(), report["complete"].clone()), (serde_json::json!([2, 0]), true.into()));
        assert_eq!(report["total"]["results"]["losses"], 2, "{at_go}");
        for (forfeit, game) in report["forfeit_reasons"].as_array().unwrap().iter().zip([1, 2]) {
            assert_eq!((&forfeit["game"], &forfeit["player"]), (&game.into(), &0.into()), "{forfeit}");
            assert!(forfeit["reason"].as_str().unwrap().contains(part), "{forfeit}");
        }
        for game in lines(&games) {
            assert!(game["forfeit"].as_str().unwrap().contains(part) && game["reason"] == "forfeit", "{game}");
        }
        // The file with forfeits can be read.
        assert_eq!(self::report(&play([&player, "greedy"], &["--save-games", text(&games)])), report);
    }
}

/// Whether a process runs. A zombie process has ended.
fn is_alive(pid: &str) -> bool {
    let state = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
    let state = String::from_utf8(state.stdout).unwrap();
    !state.trim().is_empty() && !state.starts_with('Z')
}

#[test]
fn an_engine_that_hangs_or_sends_other_lines_loses_on_time_and_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    for (name, at_go, part) in [
        ("hangs", "sleep 1000", "sent no move within 2.1 s"),
        ("babbles", "while :; do echo well; done", "sent no move within 2.1 s; its last line is \"well\""),
    ] {
        let pids = folder.path().join(name);
        let player = scripted(&format!("echo $$ >> {}; exec {at_go}", text(&pids)).replace("exec while", "while"));
        let output = play([&player, "random"], &[]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(part), "{message}");
        assert_eq!(report(&output)["forfeits"], serde_json::json!([2, 0]));
        let pids = fs::read_to_string(&pids).unwrap();
        assert_eq!(pids.lines().count(), 2);
        for pid in pids.lines() {
            assert!(!is_alive(pid), "process {pid} was left behind");
        }
    }
}

#[test]
fn processes_that_an_engine_has_started_end_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let player = scripted(&format!("sleep 1000 & echo $! >> {}; wait", text(&pids)));
    assert_eq!(report(&play([&player, "random"], &[]))["forfeits"], serde_json::json!([2, 0]));
    let pids = fs::read_to_string(&pids).unwrap();
    assert_eq!(pids.lines().count(), 2);
    for pid in pids.lines() {
        assert!(!is_alive(pid), "process {pid} was left behind");
    }
}

#[test]
fn programs_that_cannot_play_at_all_end_the_match() {
    let ashton = ["--rules", "ashton"];
    for (player, more, parts) in [
        ("engine:no-such-program -x", &[][..], &["engine:no-such-program", "cannot start \"no-such-program\""][..]),
        (
            "engine:sh -c 'echo no licence >&2; exit 3'",
            &[],
            &["ended before it answered uciok", "exit status: 3", "no licence"],
        ),
        ("engine:sh 'unclosed", &[], &["quote"]),
        ("engine:", &[], &["engine:COMMAND"]),
        ("opentafl:x", &["--rules", "imperial"], &["cannot express their captures.count"]),
        ("opentafl:no-such-program", &[], &["cannot start \"no-such-program\""]),
        ("opentafl:sh -c 'echo error -1 no licence; cat'", &[], &["answered \"error -1 no licence\""]),
        ("opentafl:sh -c 'echo closed >&2; exit 4'", &[], &["ended before it sent hello", "closed"]),
        ("opentafl:@5s", &[], &["opentafl:COMMAND"]),
        ("challenge:x", &[], &["rules ashton, not kvasir"]),
        ("challenge:x@1ms", &ashton, &["whole seconds"]),
        ("challenge:no-such-program {port}", &ashton, &["cannot start \"no-such-program\""]),
        ("challenge:sh -c 'echo {port} closed >&2; exit 4'", &ashton, &["ended before it connected", "closed"]),
    ] {
        let output = play([player, "random"], more);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{player}: {message}");
        assert!(!message.contains("panicked"), "{player}: {message}");
        for part in parts {
            assert!(message.contains(part), "{player}: {message}");
        }
    }
    let stubborn =
        "engine:sh -c 'while read -r line; do case $line in uci) echo uciok;; set*) echo error $line;; esac; done'";
    let message = String::from_utf8(play([stubborn, "random"], &[]).stderr).unwrap();
    assert!(message.contains("cannot play the rules kvasir"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_challenge_client_that_breaks_the_protocol_loses_the_game() {
    // A command of the shell that sends a frame.
    let frame =
        |text: &str| format!("printf \"\\\\0\\\\0\\\\0\\\\{:o}%s\" \"{}\" >&3", text.len(), text.replace('"', "\\\""));
    // Some of the contest's clients send their names without quotes.
    let connect = format!("exec 3<>/dev/tcp/{{host}}/{{port}}; {}", frame("rogue"));
    let illegal = frame(r#"{"from":"e5","to":"e9","turn":"WHITE"}"#);
    for (then, seconds, part) in [
        ("exit 5".to_owned(), 1, "closed the connection"),
        (format!("{}; cat <&3", frame("hello")), 1, "sent an invalid message"),
        (format!("{illegal}; cat <&3"), 1, "sent an illegal move: e5-e9"),
        ("printf \"\\\\177\\\\0\\\\0\\\\0\" >&3; cat <&3".to_owned(), 1, "2130706432 bytes"),
        ("exec cat <&3".to_owned(), 1, "sent no move within 3 s"),
    ] {
        let player = format!("challenge:bash -c '{connect}; {then}'@{seconds}s");
        let output = play([&player, "random"], &["--rules", "ashton"]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(part), "{then}: {message}");
        assert_eq!(report(&output)["forfeits"], serde_json::json!([2, 0]), "{then}");
    }
    let nameless = "challenge:bash -c 'exec 3<>/dev/tcp/{host}/{port}; exit 4'";
    let output = play([nameless, "random"], &["--rules", "ashton"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("closed the connection before it sent its name"), "{message}");
}

#[test]
fn ctrl_c_on_a_terminal_causes_no_forfeit() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.jsonl");
    let engine = format!("engine:{TABLUT} bridge engine --player alphabeta:2");
    let mut command = Command::new(TABLUT);
    command.args(["match", &engine, "alphabeta:1", "--games", "1000", "--save-games", text(&games)]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0).spawn().unwrap();
    while fs::read_to_string(&games).map_or(0, |text| text.lines().count()) < 3 {
        assert!(child.try_wait().unwrap().is_none(), "the match ended before it could be stopped");
        std::thread::sleep(Duration::from_millis(2));
    }
    // A terminal sends the signal to the whole group.
    let sent = Command::new("kill").args(["-INT", "--", &format!("-{}", child.id())]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("continues from there") && !message.contains("forfeit"), "{message}");
    assert!(lines(&games).iter().all(|game| game["forfeit"].is_null()));
}

/// The games of a file, without its header.
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary paths are text")
}
