//! The net of a command: that of a model file, or the one that comes with the program, which players call `net:shipped@64`.

use std::path::Path;

use anyhow::Context;
use tablut_net::{Engine, EngineOptions, Inference, Model, NetError, Precision, Processor, Weights};
use tablut_play::shipped_net;
use tablut_players::{NetInfo, Nets, PlayerSpec};

/// Stands for the net that comes with the program where a model file is expected, unless there is a file of that name.
pub const SHIPPED: &str = "shipped";

/// Loads the model file, or without one the net that comes with the program.
pub fn load_model(path: Option<&Path>) -> anyhow::Result<Model> {
    if let Some(path) = path.filter(|path| !is_shipped(path)) {
        return Ok(Model::load(path)?);
    }
    let bytes = shipped_net().context("no net was built into this program: expected a model file")?;
    Model::from_bytes(bytes).context("the net that comes with the program")
}

/// What a message calls that net.
pub fn model_name(path: Option<&Path>) -> String {
    match path.filter(|path| !is_shipped(path)) {
        Some(path) => format!("model file {}", path.display()),
        None => "the net that comes with the program".to_owned(),
    }
}

/// Loads the nets that `players` need, to run on `processor`.
pub fn load_nets<'a>(players: impl IntoIterator<Item = &'a PlayerSpec>, processor: Processor) -> anyhow::Result<Nets> {
    let mut nets = Nets::on(processor);
    for player in players {
        if let Some(path) = player.model_file() {
            add_net(&mut nets, path, player.precision())?;
        }
    }
    Ok(nets)
}

/// Loads one net more, unless it is there already.
pub fn add_net<'a>(nets: &'a mut Nets, path: &Path, precision: Precision) -> anyhow::Result<&'a NetInfo> {
    if is_shipped(path) { Ok(nets.insert(path, load_model(None)?, precision)?) } else { Ok(nets.add(path, precision)?) }
}

fn is_shipped(path: &Path) -> bool {
    path == Path::new(SHIPPED) && !path.exists()
}

/// The CPU engine on one thread, for each worker one.
pub fn make_engine(weights: &Weights) -> Box<dyn Inference> {
    Processor::Cpu.make(weights)
}

/// As [`make_engine`], in another precision. An engine for `weights` shows first that this machine has it.
pub fn engines_in(
    precision: Precision,
    weights: &Weights,
) -> Result<impl Fn(&Weights) -> Box<dyn Inference> + Sync + use<>, NetError> {
    let options = EngineOptions { precision: precision.chosen()?, ..EngineOptions::default() };
    Engine::with_options(weights, options)?;
    Ok(move |weights: &Weights| -> Box<dyn Inference> {
        Box::new(Engine::with_options(weights, options).expect("checked at the start"))
    })
}
