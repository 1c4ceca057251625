//! Reads a NumPy archive and checks names, shapes, types and values.

use std::collections::BTreeMap;
use std::sync::Arc;

use tablut_games::{
    CancelToken, Concurrency, Counters, ReplayWindow, SelfPlayConfig, SelfPlayGame, game_rng, run_tasks, write_npz,
};
use tablut_net::{FEATURES, InputBatch, PLANES, encode};
use tablut_rules::{BoardSize, Rules};
use tablut_search::{Chances, SelfPlaySearch, UniformEvaluator};

#[test]
fn every_array_comes_back_with_its_shape_and_values() {
    let rules = Arc::new(Rules::load("imperial").unwrap());
    let config = SelfPlayConfig { max_plies: 40, ..SelfPlayConfig::default() };
    let (search, simulations) = (SelfPlaySearch::default(), 4);
    let games = run_tasks(
        3,
        Concurrency { workers: 1, tasks_per_worker: 3 },
        |index| SelfPlayGame::new(index as u64, &rules, &config, &search, simulations, game_rng(5, 0, index as u64)),
        || vec![Box::new(UniformEvaluator)],
        &Counters::default(),
        &CancelToken::new(),
        |_, _| {},
    )
    .unwrap();
    let mut window = ReplayWindow::new(vec![Arc::clone(&rules)], usize::MAX);
    let n = window.push(&games).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions.npz");
    write_npz(&path, BoardSize::Nine, &window.in_order(0.0)).unwrap();

    let arrays = read(&std::fs::read(&path).unwrap());
    let names: Vec<_> = arrays.keys().map(String::as_str).collect();
    assert_eq!(names, ["features", "move_ends", "moves", "moves_left", "planes", "policy", "values"]);
    let array = |name: &str, kind: &str, dims: &[usize]| {
        let (header, data) = &arrays[name];
        let dims: Vec<_> = dims.iter().map(usize::to_string).collect();
        let expected = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({},), }}", dims.join(", "));
        assert_eq!(header.trim_end(), expected, "{name}");
        data.clone()
    };
    let floats = |data: Vec<u8>| -> Vec<f32> {
        data.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect()
    };
    let move_ends: Vec<usize> = array("move_ends", "<u4", &[n])
        .chunks_exact(4)
        .map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()) as usize)
        .collect();
    let m = move_ends[n - 1];
    let planes: Vec<f32> = array("planes", "|u1", &[n, PLANES, 9, 9]).into_iter().map(f32::from).collect();
    let features = floats(array("features", "<f4", &[n, FEATURES]));
    let moves: Vec<u16> = array("moves", "<u2", &[m, 2])
        .chunks_exact(2)
        .map(|bytes| u16::from_le_bytes(bytes.try_into().unwrap()))
        .collect();
    let policy = floats(array("policy", "<f4", &[m]));
    let values = floats(array("values", "<f4", &[n, 3]));
    let moves_left = floats(array("moves_left", "<f4", &[n]));
    let lengths = [planes.len(), features.len(), moves.len(), policy.len(), values.len(), moves_left.len()];
    assert_eq!(lengths, [n * PLANES * 81, n * FEATURES, 2 * m, m, 3 * n, n]);

    // Compares every row with the game that it comes from.
    let (mut row, mut start) = (0, 0);
    for game in &games {
        let n_plies = game.plies.len() as u32;
        let last = game.plies.last().unwrap().search.as_ref().unwrap().chances;
        let outcome = if game.is_unfinished(&rules) { last } else { Chances::certain(game.outcome.winner) };
        game.replay(&rules, |state, legal, ply| {
            let Some(search) = &ply.search else { return };
            let mut expected = InputBatch::default();
            encode(&state.situation(legal), &mut expected);
            assert_eq!(planes[row * PLANES * 81..][..PLANES * 81], expected.plane_values());
            assert_eq!(features[row * FEATURES..][..FEATURES], expected.features);
            let end = move_ends[row];
            let indices: Vec<_> = expected.moves.iter().flat_map(|index| [index.entry, index.choice]).collect();
            assert_eq!(moves[2 * start..2 * end], indices);
            let total: f32 = search.policy.iter().map(|&p| f32::from(p)).sum();
            let targets: Vec<f32> = search.policy.iter().map(|&p| f32::from(p) / total).collect();
            assert_eq!(policy[start..end], targets);
            assert_eq!(values[3 * row..][..3], [outcome.attackers, outcome.draw, outcome.defenders]);
            let left = if game.is_unfinished(&rules) { f32::NAN } else { (n_plies - state.ply()) as f32 };
            assert_eq!(moves_left[row].to_bits(), left.to_bits());
            (row, start) = (row + 1, end);
        })
        .unwrap();
    }
    assert_eq!(row, n);
}

/// Header and numbers of every array of an archive, from the local headers of the zip file.
fn read(bytes: &[u8]) -> BTreeMap<String, (String, Vec<u8>)> {
    let number = |at: usize, len: usize| bytes[at..at + len].iter().rev().fold(0, |sum, &b| sum << 8 | usize::from(b));
    let (mut arrays, mut at) = (BTreeMap::new(), 0);
    while bytes[at..].starts_with(b"PK\x03\x04") {
        let (size, name_len) = (number(at + 22, 4), number(at + 26, 2));
        let name = String::from_utf8(bytes[at + 30..][..name_len].to_vec()).unwrap();
        let file = at + 30 + name_len;
        let header_len = number(file + 8, 2);
        let header = String::from_utf8(bytes[file + 10..][..header_len].to_vec()).unwrap();
        let data = bytes[file + 10 + header_len..file + size].to_vec();
        arrays.insert(name.strip_suffix(".npy").unwrap().to_owned(), (header, data));
        at = file + size;
    }
    assert!(bytes[at..].starts_with(b"PK\x01\x02"), "the directory follows the last file");
    arrays
}
