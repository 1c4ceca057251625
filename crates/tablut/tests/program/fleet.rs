//! A run with workers over a real `nats-server` gives the same bits as a run without workers, even if processes are
//! killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::broker::TestBroker;

/// A run of one or two seconds.
const CONFIG: &str = r#"
rules = ["kvasir", "masters"]
shape = "lines32x1"
seed = 5

[schedule]
generations = 5
games = 24
simulations = [[0, 4]]

[selfplay]
max_plies = 24

[learning]
batch_size = 32
draws_per_position = 1.0
window_positions = 1500

[evaluation]
games = 0
"#;

/// A folder with a config, and the results of a run without workers.
struct Setting {
    folder: tempfile::TempDir,
    alone: BTreeMap<String, Vec<u8>>,
}

impl Setting {
    fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("tiny.toml"), config).unwrap();
        let mut this = Self { folder, alone: BTreeMap::new() };
        let output = this.train("alone").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        this.alone = this.results("alone");
        this
    }

    fn run(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn train(&self, run: &str) -> Command {
        let mut command = tablut();
        command.arg("train").arg(self.run("tiny.toml")).arg("--run").arg(self.run(run));
        command
    }

    fn train_with_workers(&self, run: &str, url: &str) -> Command {
        let mut command = self.train(run);
        command.args(["--nats", url, "--lease", "1"]);
        command
    }

    /// All checkpoints and files of games of a run, by name.
    fn results(&self, run: &str) -> BTreeMap<String, Vec<u8>> {
        let files = ["games", "checkpoints"].map(|part| fs::read_dir(self.run(run).join(part)).unwrap().flatten());
        let read = |entry: fs::DirEntry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
        files.into_iter().flatten().map(read).collect()
    }

    #[track_caller]
    fn equals_alone(&self, run: &str) {
        let found = self.results(run);
        assert_eq!(self.alone.keys().collect::<Vec<_>>(), found.keys().collect::<Vec<_>>());
        for (name, bytes) in &self.alone {
            assert!(bytes == &found[name], "{name} differs");
        }
    }
}

fn tablut() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn worker(url: &str) -> Command {
    let mut command = tablut();
    command.args(["worker", "--threads", "1", "--nats", url]);
    command
}

/// A process that ends with the test.
struct Ended(Child);

impl Ended {
    fn start(command: &mut Command) -> Self {
        Self(command.stderr(Stdio::null()).spawn().unwrap())
    }

    fn kill(&mut self) {
        // The process may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Reads lines until one contains `words`, and returns it.
#[track_caller]
pub fn wait_for(words: &str, said: &mut impl std::io::BufRead) -> String {
    let mut line = String::new();
    while !line.contains(words) {
        line.clear();
        assert!(said.read_line(&mut line).unwrap() > 0, "the trainer ended before it printed: {words}");
    }
    line
}

#[track_caller]
fn finish(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

#[test]
fn one_two_and_four_workers_give_the_bits_of_a_run_without_workers() {
    let Some(broker) = TestBroker::start("") else { return };
    let setting = Setting::new(CONFIG);
    let mut workers = Vec::new();
    for n in [1, 2, 4] {
        while workers.len() < n {
            workers.push(Ended::start(&mut worker(&broker.url)));
        }
        let run = format!("workers-{n}");
        finish(&mut setting.train_with_workers(&run, &broker.url));
        setting.equals_alone(&run);
        let metrics = fs::read_to_string(setting.run(&run).join("metrics.jsonl")).unwrap();
        assert!(metrics.lines().count() == 5 && metrics.lines().all(|line| line.contains("\"fleet\"")), "{metrics}");
    }
}

#[test]
fn workers_with_a_lag_give_the_same_bits() {
    let Some(broker) = TestBroker::start("") else { return };
    let setting = Setting::new(&CONFIG.replace("games = 24", "games = 24\nlag = 1"));
    let _workers = [worker(&broker.url), worker(&broker.url)].map(|mut worker| Ended::start(&mut worker));
    finish(&mut setting.train_with_workers("workers", &broker.url));
    setting.equals_alone("workers");
}

#[test]
fn workers_with_special_games_give_the_same_bits() {
    let Some(broker) = TestBroker::start("") else { return };
    let special = "max_plies = 24\nbalance = 0.01\nbalanced_openings = 3\n";
    let config = CONFIG.replace("games = 24", "games = 24\nlag = 1").replace("max_plies = 24\n", special);
    // The schedule has two numbers of simulations, so that the searches of special games change too.
    let setting = Setting::new(&config.replace("[[0, 4]]", "[[0, 4], [2, 6]]"));
    let _workers = [worker(&broker.url), worker(&broker.url)].map(|mut worker| Ended::start(&mut worker));
    finish(&mut setting.train_with_workers("workers", &broker.url));
    setting.equals_alone("workers");
    let metrics = fs::read_to_string(setting.run("workers").join("metrics.jsonl")).unwrap();
    assert!(metrics.contains("\"uneven\""), "no game with unequal searches");
}

/// A small random generator that chooses the times and targets of kills. Its seed is in every failure's message.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Waits until `then` or until the process has ended. Returns whether it has ended.
fn ends_before(process: &mut Child, then: Instant) -> bool {
    while Instant::now() < then {
        if process.try_wait().unwrap().is_some() {
            return true;
        }
        std::thread::park_timeout(Duration::from_millis(2));
    }
    false
}

#[test]
fn fifty_kills_of_workers_trainer_and_broker_change_no_bit() {
    let seed = 20;
    let Some(mut broker) = TestBroker::start("") else { return };
    let setting = Setting::new(&CONFIG.replace("games = 24", "games = 24\nlag = 1"));
    let mut dice = Dice(seed);
    let url = broker.url.clone();
    let mut workers: Vec<Ended> = (0..2).map(|_| Ended::start(&mut worker(&broker.url))).collect();
    let (mut kills, mut runs) = ([0; 3], 0);
    // If a run ends before the fiftieth kill, it is checked, and another one starts.
    while kills.iter().sum::<usize>() < 50 {
        runs += 1;
        let run = format!("killed-{runs}");
        let start = || setting.train_with_workers(&run, &url).stderr(Stdio::null()).spawn().unwrap();
        let mut trainer = start();
        while kills.iter().sum::<usize>() < 50 {
            let then = Instant::now() + Duration::from_millis(30 + dice.roll(500));
            if ends_before(&mut trainer, then) {
                break;
            }
            let victim = dice.roll(5) as usize;
            match victim {
                0 | 1 => {
                    workers[victim].kill();
                    workers[victim] = Ended::start(&mut worker(&broker.url));
                    kills[0] += 1;
                }
                2 | 3 => {
                    trainer.kill().unwrap();
                    trainer.wait().unwrap();
                    trainer = start();
                    kills[1] += 1;
                }
                _ => {
                    broker.restart("");
                    kills[2] += 1;
                }
            }
        }
        let ended = trainer.wait_with_output().unwrap();
        // The last trainer was not killed, so it finishes the run.
        assert!(ended.status.success(), "seed {seed}, kills {kills:?}: {}", String::from_utf8_lossy(&ended.stderr));
        setting.equals_alone(&run);
    }
    eprintln!("{kills:?} kills of workers, trainer and broker in {runs} runs");
    assert!(kills.iter().all(|&kills| kills > 0), "{kills:?}");
}

#[test]
fn the_trainer_reports_a_full_broker_and_waits() {
    let room = |bytes: &str| format!("jetstream {{ store_dir: \"STORE\", max_file_store: {bytes} }}");
    let Some(mut broker) = TestBroker::start(&room("48K")) else { return };
    let setting = Setting::new(&CONFIG.replace("generations = 5", "generations = 2"));
    let _worker = Ended::start(&mut worker(&broker.url));
    let mut trainer = setting.train_with_workers("run", &broker.url).spawn().unwrap();
    let mut said = std::io::BufReader::new(trainer.stderr.take().unwrap());
    let complaint = wait_for("retrying until it works", &mut said);
    assert!(trainer.try_wait().unwrap().is_none(), "{complaint}");
    broker.restart(&room("64M"));
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut said, &mut rest).unwrap();
    assert!(trainer.wait().unwrap().success(), "{complaint}{rest}");
    setting.equals_alone("run");
}

#[test]
fn wrong_credentials_are_rejected_and_right_ones_work() {
    let guarded = "authorization { user: fleet, password: secret }";
    let Some(broker) = TestBroker::start(guarded) else { return };
    let refused = worker(&broker.url).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("refuses these credentials"), "{said}");
    let known = broker.url.replace("nats://", "nats://fleet:secret@");
    let setting = Setting::new(&CONFIG.replace("generations = 5", "generations = 1"));
    let _worker = Ended::start(&mut worker(&known));
    let said = finish(setting.train("run").args(["--nats", &known]));
    assert!(!said.contains("secret"), "{said}");
    setting.equals_alone("run");
}

#[test]
fn a_run_that_another_process_trains_is_rejected() {
    let Some(broker) = TestBroker::start("") else { return };
    let setting = Setting::new(&CONFIG.replace("generations = 5", "generations = 1"));
    // There are no workers, so the first trainer waits forever.
    let start = |run| setting.train_with_workers(run, &broker.url).spawn().unwrap();
    let (mut first, mut second) = (start("first"), start("second"));
    let (refused, mut other) = loop {
        if first.try_wait().unwrap().is_some() {
            break (first, second);
        }
        if second.try_wait().unwrap().is_some() {
            break (second, first);
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    other.kill().unwrap();
    other.wait().unwrap();
    let output = refused.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("is already being trained through this broker"), "{said}");
}

#[test]
fn the_trainer_waits_for_a_broker_that_is_not_running() {
    let Some(mut broker) = TestBroker::start("") else { return };
    broker.kill();
    let setting = Setting::new(&CONFIG.replace("generations = 5", "generations = 1"));
    let mut trainer = setting.train_with_workers("run", &broker.url).spawn().unwrap();
    let _worker = Ended::start(&mut worker(&broker.url));
    let mut said = std::io::BufReader::new(trainer.stderr.take().unwrap());
    let mut line = wait_for("cannot reach the broker at nats://127.0.0.1", &mut said);
    broker.restart("");
    std::io::Read::read_to_string(&mut said, &mut line).unwrap();
    assert!(trainer.wait().unwrap().success(), "{line}");
    setting.equals_alone("run");
}
