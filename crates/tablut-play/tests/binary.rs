//! The `tablut-play` binary.

use assert_cmd::Command;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use tablut_net::{Model, StatedRules, TrainingSummary, Weights};

fn tablut_play(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("tablut-play").unwrap().args(arguments).write_stdin(input).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn plays_a_model_file_through_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("net.tablut");
    let weights = Weights::initial(&"lines32x1".parse().unwrap(), 3);
    let model = Model {
        weights,
        rules: vec![StatedRules::of(&tablut_rules::Rules::named("kvasir").unwrap())],
        training: TrainingSummary::default(),
        card: None,
    };
    model.save(&file).unwrap();
    let (code, out, err) = tablut_play(
        &[file.to_str().unwrap(), "--simulations", "8", "--seed", "1", "--ascii"],
        "d1-d3\neval\nundo\nquit\n",
    );
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("attackers d1-d3") && out.contains("ply 2, attackers to move"), "{out}");
    assert!(out.contains("after 8 simulations") || out.contains("proven"), "{out}");
    assert!(out.contains("took back 2 moves") && out.is_ascii(), "{out}");
}

#[test]
fn faults_are_messages_and_exit_code_2() {
    for (arguments, part) in [
        (&["no-such-file.tablut"][..], "no-such-file.tablut"),
        (&["--against", "alphabeta"], "depth from 1 to 64"),
        (&["--against", "net:x@5"], "player without a net"),
        (&["--against", "greedy", "--rules", "chess"], "\"chess\""),
        (&["--against", "greedy", "--position", "9/9 a"], "9/9"),
        (&["--against", "greedy", "--first", "defenders"], "the attackers move first"),
        (&["--against", "greedy", "--side", "white"], "white"),
        (&["--against", "greedy", "--seed", "-1"], "-1"),
        (&["--level", "grandmaster"], "expected one of newcomer"),
        (&["--level", "club", "--against", "greedy"], "cannot be used with"),
        (&["--against", "greedy", "--game", "no-such-game.json"], "no-such-game.json"),
        (&["--against", "greedy", "--game", "Cargo.toml"], "game Cargo.toml"),
    ] {
        let (code, _, err) = tablut_play(arguments, "");
        assert_eq!(code, Some(2), "{arguments:?}: {err}");
        assert!(err.contains(part) && !err.contains("panicked"), "{arguments:?}: {err}");
    }
}

#[test]
fn without_arguments_the_built_in_net_plays_or_its_lack_is_named() {
    let (code, out, err) = tablut_play(&["--simulations", "4", "--ascii"], "moves\nhint\nquit\n");
    if tablut_games::shipped_net().is_some() {
        assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
        assert!(out.contains("80 moves") && out.contains("hint: "), "{out}");
    } else {
        assert_eq!(code, Some(2), "{out}");
        assert!(err.contains("models/all-rules.tablut"), "{err}");
    }
}

/// Ctrl-C, SIGTERM and a closed terminal end an unfinished game. It is saved, and the printed command continues it.
#[cfg(unix)]
#[test]
fn a_game_that_a_signal_ends_is_saved() {
    for (signal, exit_code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_tablut-play"))
            .args(["--against", "greedy", "--seed", "1", "--ascii"])
            .env("XDG_DATA_HOME", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"d1-d3\n").unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("ply 2") {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0, "the game ended before the computer's move");
        }
        let killed = std::process::Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(exit_code), "{rest}");
        let (_, file) =
            rest.trim_end().split_once("continue it with: tablut-play --game ").unwrap_or_else(|| panic!("{rest}"));
        assert!(std::path::Path::new(file).starts_with(folder.path()), "{file}");
        let (code, out, err) = tablut_play(&["--against", "greedy", "--game", file, "--ascii"], "history\n");
        assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
        assert!(out.contains("1. d1-d3 ") && out.contains("left after ply 2"), "{out}");
    }
}

/// Sends a signal to a server that `command` starts. Returns its exit code, or −1 if it has none. `None` if the command
/// starts no server.
#[cfg(unix)]
fn server_stopped_by(signal: &str, mut command: std::process::Command) -> Option<i32> {
    let folder = tempfile::tempdir().unwrap();
    command.args([env!("CARGO_BIN_EXE_tablut-play"), "serve", "--port", "0", "--folder"]).arg(folder.path());
    let mut started = command.stdout(Stdio::piped()).spawn().ok()?;
    let mut link = String::new();
    BufReader::new(started.stdout.take().unwrap()).read_line(&mut link).unwrap();
    if link.is_empty() {
        started.wait().unwrap();
        return None;
    }
    // `unshare` starts the server as its child, and `env` becomes the server.
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", started.id())).unwrap_or_default();
    let server = children.split_whitespace().next().map_or_else(|| started.id().to_string(), str::to_owned);
    assert!(std::process::Command::new("kill").args(["-s", signal, &server]).status().unwrap().success());
    started.wait().unwrap().code().or(Some(-1))
}

/// Process 1 has no default action for signals.
#[cfg(unix)]
#[test]
fn signals_end_a_server_also_as_the_first_process_of_a_container() {
    for (signal, exit_code) in [("INT", 130), ("TERM", 143)] {
        let plain = std::process::Command::new("env");
        assert_eq!(server_stopped_by(signal, plain), Some(exit_code), "{signal}");
        let mut container = std::process::Command::new("unshare");
        container.args(["--user", "--map-root-user", "--pid", "--fork"]);
        match server_stopped_by(signal, container) {
            Some(code) => assert_eq!(code, exit_code, "{signal}"),
            None => eprintln!("skipped: this system does not let `unshare` make a container"),
        }
    }
}

/// Runs the program on a pseudo-terminal of 80 columns. Returns the exit code and the output. Each of `steps` waits for
/// a text and then types its bytes.
#[cfg(unix)]
fn on_a_terminal(options: &str, folder: &std::path::Path, steps: &[(&str, &[u8])]) -> Option<(Option<i32>, String)> {
    let program = env!("CARGO_BIN_EXE_tablut-play");
    let command = format!("stty rows 24 cols 80; exec {program} --against greedy --seed 1 {options}");
    let mut script = std::process::Command::new("script");
    script.args(["-q", "-e", "-c", &command, "/dev/null"]).env("XDG_DATA_HOME", folder).env("TERM", "xterm-256color");
    let Ok(mut child) = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
        eprintln!("skipped: `script`, which makes a pseudo-terminal, is not installed");
        return None;
    };
    let (mut output, mut input) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let (mut shown, mut part, mut seen) = (Vec::new(), [0; 4096], 0);
    let mut steps = steps.iter();
    let mut step = steps.next();
    loop {
        let n = output.read(&mut part).unwrap();
        if n == 0 {
            break;
        }
        shown.extend(&part[..n]);
        while let Some((text, typed)) = step
            && let Some(at) = shown[seen..].windows(text.len()).position(|window| window == text.as_bytes())
        {
            seen += at + text.len();
            input.write_all(typed).unwrap();
            step = steps.next();
        }
    }
    Some((child.wait().unwrap().code(), String::from_utf8_lossy(&shown).into_owned()))
}

#[cfg(unix)]
#[test]
fn on_a_terminal_a_board_is_shown_or_lines_and_ctrl_c_saves_the_game() {
    // The line editor drops input that arrives before its prompt.
    let lines: &[(&str, &[u8])] = &[("attackers> ", b"d1-d4\x7f3\r"), ("ply 2", b""), ("attackers> ", b"\x03")];
    let board: &[(&str, &[u8])] = &[("to move", b"d1-d3\r\x03")];
    for (options, steps, shows) in [("", board, "\x1b[?1049h"), ("--plain", lines, "attackers d1-d3")] {
        let folder = tempfile::tempdir().unwrap();
        let Some((code, shown)) = on_a_terminal(options, folder.path(), steps) else { return };
        assert_eq!(code, Some(130), "{options}: {shown}");
        assert!(shown.contains(shows), "{options}: {shown}");
        let (_, file) = shown.trim_end().rsplit_once("--game ").unwrap_or_else(|| panic!("{options}: {shown}"));
        let file = file.split_whitespace().next().unwrap();
        let (_, out, err) = tablut_play(&["--against", "greedy", "--game", file, "--ascii"], "history\n");
        assert!(out.contains("1. d1-d3"), "{options}: {out} {err}");
    }
}
