//! Writes the page with its host as static files: `site ENGINE TEACHER FOLDER`, with the WebAssembly modules that
//! `build` has compiled.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tablut_net::{Model, PooledNet};
use tablut_session::protocol::{Event, Request, RequestedRules};
use tablut_session::{Controller, HostConfig, LiveGame, Players, PuzzleBook};

/// The rules of the game that a first visit shows.
const USUAL_RULES: &str = "kvasir";
const NET: &str = "built in";
const NET_FILE: &str = "net.tablut";
/// The scripts that only run once the engine does, and the one that is no module.
const LATER: [&str; 10] = [
    "js/file.js",
    "js/worker.js",
    "js/helper.js",
    "js/engine.js",
    "js/games.js",
    "js/library.js",
    "js/teacher.js",
    "js/teachplayer.js",
    "js/teachmodule.js",
    "js/teachstore.js",
];
/// The page runs its own files and nothing else, and asks no other host.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; \
                      connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'";

type Files = BTreeMap<String, Vec<u8>>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [engine, teacher, out] = arguments.as_slice() else {
        return Err("expected: site ENGINE TEACHER FOLDER".into());
    };
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let play = here.join("../tablut-play");
    let mut files = Files::new();
    add_folder(&play.join("page"), "", &mut files)?;
    files.remove("assets.rs");
    add_folder(&here.join("page"), "", &mut files)?;
    files.insert("engine.wasm".to_owned(), fs::read(engine)?);
    files.insert("teacher.wasm".to_owned(), fs::read(teacher)?);
    let model = Model::load(&here.join("../../models/all-rules.tablut"))?;
    let shipped = Model { card: None, ..model.clone() }.to_bytes()?;
    let net = json!({"name": NET, "file": NET_FILE, "bytes": shipped.len()});
    files.insert(NET_FILE.to_owned(), shipped);
    let books = add_puzzles(&play.join("puzzles"), &mut files)?;
    let engine = json!({"file": "engine.wasm", "bytes": files["engine.wasm"].len()});
    let puzzles: BTreeMap<&str, String> =
        books.iter().map(|book| (book.rules.as_str(), puzzle_file(&book.rules))).collect();
    let teach = json!({"file": "teacher.wasm"});
    let site = json!({"engine": engine, "net": net, "puzzles": puzzles, "teach": teach});
    files.insert("first.json".to_owned(), serde_json::to_vec(&first(model, books, &site)?)?);
    let index = String::from_utf8(files.remove("index.html").ok_or("the page has no index.html")?)?;
    let index = with_head(&index, &files)?;
    files.insert("index.html".to_owned(), index.into_bytes());
    add_hashes(&mut files)?;
    if out.exists() {
        // Only a folder that this program has written may be replaced.
        if !out.join("engine.wasm").exists() && fs::read_dir(out)?.next().is_some() {
            return Err(format!("{} is there already and is no site", out.display()).into());
        }
        fs::remove_dir_all(out)?;
    }
    for (path, bytes) in &files {
        let path = out.join(path);
        fs::create_dir_all(path.parent().ok_or("a file has a folder")?)?;
        fs::write(path, bytes)?;
    }
    Ok(())
}

fn add_folder(folder: &Path, prefix: &str, files: &mut Files) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            add_folder(&path, &format!("{prefix}{name}/"), files)?;
        } else {
            files.insert(format!("{prefix}{name}"), fs::read(&path)?);
        }
    }
    Ok(())
}

fn puzzle_file(rules: &str) -> String {
    format!("puzzles/{rules}.jsonl")
}

fn add_puzzles(folder: &Path, files: &mut Files) -> Result<Vec<PuzzleBook>, Box<dyn std::error::Error>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    let mut books = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path)?;
        let book = PuzzleBook::parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        files.insert(puzzle_file(&book.rules), text.into_bytes());
        books.push(book);
    }
    // The page shows the first rules first.
    books.sort_by_key(|book| book.rules != USUAL_RULES);
    Ok(books)
}

/// What the page shows before the engine is loaded: the host's first event, those of the usual game, and where the host's
/// files are.
fn first(model: Model, puzzles: Vec<PuzzleBook>, site: &Value) -> Result<Value, Box<dyn std::error::Error>> {
    let config = HostConfig {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        nets: vec![NET.to_owned()],
        about_nets: vec![PooledNet::new(NET.to_owned(), model, None)?.about(NET)],
        puzzles,
        trains: true,
        ..HostConfig::default()
    };
    let hello = Event::Hello(Box::new(config.hello()));
    let (attackers, defenders) = (Controller::Person, Controller::computer("adaptive"));
    let rules = RequestedRules::Name(USUAL_RULES.to_owned());
    let request = Request::New {
        rules,
        first: None,
        players: Some(Players { attackers, defenders }),
        seats: None,
        pauses_on_blunders: None,
        clock: None,
    };
    let mut game = LiveGame::begin("", &request, None, &Arc::new(config), 0)?;
    // The first event names the game. This one has no name yet.
    let events = &game.greet().one[1..];
    Ok(json!({"hello": hello, "events": events, "site": site}))
}

/// The page with what it needs without a server in its head.
fn with_head(index: &str, files: &Files) -> Result<String, String> {
    let mut head = format!(
        "<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <script src=\"js/file.js\" defer></script>\n<link rel=\"manifest\" href=\"manifest.json\">\n<link rel=\"stylesheet\" href=\"css/site.css\">\n\
         <link rel=\"preload\" href=\"first.json\" as=\"fetch\" crossorigin>\n"
    );
    for path in files.keys().filter(|path| path.starts_with("js/") && !LATER.contains(&path.as_str())) {
        head += "<link rel=\"modulepreload\" href=\"";
        head += path;
        head += "\">\n";
    }
    let charset = "<meta charset=\"utf-8\">\n";
    if index.matches(charset).count() != 1 {
        return Err(format!("the page has no single line {charset:?}"));
    }
    Ok(index.replace(charset, &head))
}

/// Writes the files' hashes into the service worker, which so becomes another one with every version.
fn add_hashes(files: &mut Files) -> Result<(), Box<dyn std::error::Error>> {
    let worker = String::from_utf8(files.remove("sw.js").ok_or("there is no sw.js")?)?;
    // Browsers can check this hash.
    let hash = |bytes: &[u8]| format!("{:x}", Sha256::digest(bytes))[..16].to_owned();
    let hashes: BTreeMap<&String, String> = files.iter().map(|(path, bytes)| (path, hash(bytes))).collect();
    let empty = "const FILES = {};";
    if !worker.contains(empty) {
        return Err(format!("sw.js has no line {empty:?}").into());
    }
    let list = format!("const FILES = {};", serde_json::to_string_pretty(&hashes)?);
    let worker = worker.replace(empty, &list).into_bytes();
    files.insert("sw.js".to_owned(), worker);
    Ok(())
}
