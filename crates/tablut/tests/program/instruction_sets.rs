//! A whole run, self-play and learning, gives the same bits with AVX2 as with the best instructions of the machine, on a
//! processor that has no AVX-512, and on ARM.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Two generations, so that the second one is played by a net that has learnt.
const CONFIG: &str = r#"
rules = ["kvasir", "imperial"]
shape = "lines32x2"
seed = 11

[schedule]
generations = 2
games = 8
simulations = [[0, 4]]

[selfplay]
max_plies = 30

[learning]
batch_size = 32

[evaluation]
games = 0
"#;

/// One generation that an emulated processor plays and learns in seconds.
const SMALL: &str = r#"
rules = ["kvasir"]
shape = "lines32x1"

[schedule]
generations = 1
games = 2
simulations = [[0, 2]]

[selfplay]
max_plies = 30

[learning]
batch_size = 32

[evaluation]
games = 0
rating_share = 0.0

[machine]
workers = 1
"#;

/// Runs the config with the instruction set `simd`, or with the machine's best. Returns all files of games and checkpoints
/// by name.
fn results(folder: &Path, simd: Option<&str>) -> BTreeMap<String, Vec<u8>> {
    let (config, run) = (folder.join("config.toml"), folder.join(simd.unwrap_or("best")));
    fs::write(&config, CONFIG).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
    command.arg("train").arg(&config).arg("--run").arg(&run).env_remove("TABLUT_SIMD");
    if let Some(simd) = simd {
        command.env("TABLUT_SIMD", simd);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files = ["games", "checkpoints"].map(|part| fs::read_dir(run.join(part)).unwrap().flatten());
    let read = |entry: fs::DirEntry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
    files.into_iter().flatten().map(read).collect()
}

#[test]
fn a_run_has_the_same_bits_with_avx2_and_with_avx512() {
    if !tablut_net::Simd::Avx512.is_available() {
        eprintln!("skipped: this machine has no AVX-512");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [best, avx2] = [None, Some("avx2")].map(|simd| results(folder.path(), simd));
    // Two files of games, two models and two states.
    assert_eq!(best.len(), 6, "{:?}", best.keys());
    for (name, bytes) in &best {
        assert!(avx2[name] == *bytes, "{name} has other bits with AVX2");
    }
}

/// The state after [`SMALL`], as the program that `command` starts learns it.
fn small_state(folder: &Path, run: &str, mut command: Command) -> Vec<u8> {
    let (config, run) = (folder.join("small.toml"), folder.join(run));
    fs::write(&config, SMALL).unwrap();
    command.arg("train").arg(&config).arg("--run").arg(&run).env_remove("TABLUT_SIMD");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read(run.join("checkpoints/gen-00000.state.safetensors")).unwrap()
}

/// Compares the state that this processor learns with the one of an emulated processor.
fn assert_emulator_agrees(emulator: &str, arguments: &[&str], program: &str) {
    if Command::new(emulator).arg("--version").output().is_err() {
        eprintln!("skipped: {emulator} is not installed");
        return;
    }
    if !tablut_net::Simd::best().is_fused() {
        eprintln!("skipped: this machine has no AVX2");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let here = small_state(folder.path(), "here", Command::new(env!("CARGO_BIN_EXE_tablut")));
    let mut emulated = Command::new(emulator);
    emulated.args(arguments).arg(program);
    assert!(small_state(folder.path(), "emulated", emulated) == here, "{emulator} {arguments:?}: other bits");
}

/// Code of other crates may choose its instructions by the processor, whatever `TABLUT_SIMD` says. So the processor itself is
/// exchanged.
#[test]
fn a_run_has_the_same_bits_on_a_processor_without_avx512() {
    assert_emulator_agrees("qemu-x86_64-static", &["-cpu", "Haswell-noTSX"], env!("CARGO_BIN_EXE_tablut"));
}

/// `.ci/machines` builds the program for ARM and names it.
#[test]
fn a_run_has_the_same_bits_on_arm() {
    match std::env::var("TABLUT_ARM_PROGRAM") {
        Ok(program) => assert_emulator_agrees("qemu-aarch64-static", &["-L", "/usr/aarch64-linux-gnu"], &program),
        Err(_) => eprintln!("skipped: TABLUT_ARM_PROGRAM names no program"),
    }
}
