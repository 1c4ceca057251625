//! The nets, players and rules that a command names, and the device of its nets.
//!
//! A net is in a model file, or it is the net that comes with the program, such as in `net:shipped@64`.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use tablut_learn::{ComputeDevice, DeviceError, TrainConfig, newest_net};
use tablut_net::{
    DeviceChoice, Engine, Inference, KnownRules, Model, NetError, Processor, RulesChoice, Weights, choose_rules,
};
use tablut_play::shipped_net;
use tablut_players::{NamedPlayer, NetInfo, Nets, PlayerSpec};
use tablut_rules::Rules;

use crate::console::Voice;

/// Names the net that comes with the program in place of a model file, unless a file has this name.
pub const SHIPPED: &str = "shipped";

/// Loads a model file, or the newest net of a run's folder. Without a path, loads the net that comes with the program.
pub fn load_model(path: Option<&Path>) -> anyhow::Result<Model> {
    match path.filter(|path| !is_shipped(path)) {
        Some(folder) if folder.is_dir() => Ok(Model::load(&newest_net(folder)?)?),
        Some(path) => Ok(Model::load(path)?),
        None => {
            let bytes = shipped_net().context("this program was built without a net: expected a model file")?;
            Model::from_bytes(bytes).context("the net that comes with the program")
        }
    }
}

/// The name of that net in messages.
pub fn model_name(path: Option<&Path>) -> String {
    match path.filter(|path| !is_shipped(path)) {
        Some(folder) if folder.is_dir() => format!("the newest net of {}", folder.display()),
        Some(path) => format!("model file {}", path.display()),
        None => "the net that comes with the program".to_owned(),
    }
}

/// Loads the nets that `players` need, to run on `processor`.
pub fn load_nets<'a>(players: impl IntoIterator<Item = &'a PlayerSpec>, processor: Processor) -> anyhow::Result<Nets> {
    let mut nets = Nets::on(processor);
    for player in players {
        if let Some(path) = player.model_file() {
            add_net(&mut nets, path)?;
        }
    }
    Ok(nets)
}

/// Loads another net, unless it is loaded already.
pub fn add_net<'a>(nets: &'a mut Nets, path: &Path) -> anyhow::Result<&'a NetInfo> {
    if is_shipped(path) || path.is_dir() {
        return Ok(nets.insert(path, load_model(Some(path))?)?);
    }
    Ok(nets.add(path)?)
}

fn is_shipped(path: &Path) -> bool {
    path == Path::new(SHIPPED) && !path.exists()
}

/// Makes a net from weights. Each thread of self-play has its own.
pub type NetMaker = Box<dyn Fn(&Weights) -> Box<dyn Inference> + Sync>;

/// Makes nets on the cores. It first makes an engine for `weights`, so that a wrong `TABLUT_SIMD` is an error here.
pub fn net_maker(weights: &Weights) -> Result<NetMaker, NetError> {
    Engine::new(weights)?;
    Ok(Box::new(|weights| Box::new(Engine::new(weights).expect("an engine was made before"))))
}

/// Checks everything that a config names: rule sets, starting net, opponents and their nets.
pub fn check_config(config: &TrainConfig) -> anyhow::Result<()> {
    let rules = config.load_rules(None).context("rules")?;
    config.starting_weights(&rules).context("start")?;
    check_opponents(config)
}

/// Checks the config's opponents and their nets.
pub fn check_opponents(config: &TrainConfig) -> anyhow::Result<()> {
    let players = parse_players(&config.evaluation.against).context("evaluation.against")?;
    load_nets(players.iter().map(|player| &player.spec), Processor::Cpu).context("evaluation.against")?;
    Ok(())
}

/// Loads a rule set by name or file.
pub fn load_rules(name_or_path: &str) -> anyhow::Result<Arc<Rules>> {
    Ok(Arc::new(Rules::load(name_or_path)?))
}

/// Parses players. An error names the invalid one. Two players with the same name are an error.
pub fn parse_players(texts: &[String]) -> anyhow::Result<Vec<NamedPlayer>> {
    let mut players: Vec<NamedPlayer> = Vec::new();
    for text in texts {
        let player: NamedPlayer = text.parse()?;
        if players.iter().any(|known| known.name() == player.name()) {
            bail!("player {} is named twice; NAME=PLAYER gives one of them another name", player.name());
        }
        players.push(player);
    }
    Ok(players)
}

/// Prints the notes about the choice, and returns the rules.
pub fn told(choice: RulesChoice, voice: Voice) -> Arc<Rules> {
    for note in &choice.notes {
        voice.say(format_args!("note: {note}"));
    }
    choice.rules
}

/// The rules for one model: `asked`, or else rules that the net knows. `path` is that of [`load_model`].
pub fn rules_for(asked: Option<&str>, path: Option<&Path>, model: &Model, voice: Voice) -> anyhow::Result<Arc<Rules>> {
    let net = model_name(path);
    Ok(told(choose_rules(asked, &[KnownRules { net: &net, rules: &model.rules }])?, voice))
}

/// The device on which nets run.
#[derive(Copy, Clone, Debug, Default, clap::Args)]
pub struct DeviceArgs {
    /// Device for nets: cpu, gpu:N, or auto (the first GPU if there is one). GPUs need a program built with the feature
    /// `gpu`.
    #[arg(long, value_name = "DEVICE", default_value_t)]
    pub device: DeviceChoice,
}

impl DeviceArgs {
    /// Opens the device.
    pub fn open(self) -> Result<ComputeDevice, DeviceError> {
        ComputeDevice::open(self.device)
    }

    /// Opens the device as a place for nets.
    pub fn processor(self) -> Result<Processor, DeviceError> {
        Ok(self.open()?.processor())
    }
}
