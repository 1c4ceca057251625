//! The net of a command: that of a model file, or the one that comes with the program.

use std::path::Path;

use anyhow::Context;
use tablut_net::Model;
use tablut_play::shipped_net;

/// Loads the model file, or without one the net that comes with the program.
pub fn load_model(path: Option<&Path>) -> anyhow::Result<Model> {
    if let Some(path) = path {
        return Ok(Model::load(path)?);
    }
    let bytes = shipped_net().context("no net was built into this program: expected a model file")?;
    Model::from_bytes(bytes).context("the net that comes with the program")
}

/// What a message calls that net.
pub fn model_name(path: Option<&Path>) -> String {
    path.map_or_else(
        || "the net that comes with the program".to_owned(),
        |path| format!("model file {}", path.display()),
    )
}
