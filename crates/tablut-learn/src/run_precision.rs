//! The precision of a run's self-play and the kernels of its learning: chosen when the run starts, and the same on every
//! machine that continues it.

use std::path::{Path, PathBuf};

use tablut_net::{NetError, Precision};

use crate::backend::Backend;
use crate::config::{TrainConfig, TrainConfigError};
use crate::error::StepError;

/// The precision of a run is not settled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrecisionError {
    /// The config that the run was started with cannot be read.
    #[error(transparent)]
    Config(#[from] TrainConfigError),
    /// This machine cannot learn as the run does.
    #[error("{path}: learning.backend: {error}. {advice}")]
    Learning {
        /// The run.
        path: PathBuf,
        /// What is missing.
        error: StepError,
        /// What can be done.
        advice: &'static str,
    },
    /// This machine cannot play the run's games.
    #[error(
        "{path}: self-play with selfplay.precision = \"{precision}\" is impossible on this machine: {error}. A run keeps \
         its precision from its first game on, so go on with it on a machine that has it"
    )]
    Lacking {
        /// The run.
        path: PathBuf,
        /// The precision of its games.
        precision: Precision,
        /// What is missing.
        error: NetError,
    },
}

/// The config with the precision of self-play in `folder`, and the backend of its learning. `bf16` and `fastest` become
/// what the run started with, or for a new run what they stand for on this machine: each rounds differently, so games and
/// weights differ. On a device other than the cores the backend has no effect and may be one that this machine lacks.
pub(crate) fn settle_precision(
    folder: &Path,
    mut config: TrainConfig,
    on_cores: bool,
) -> Result<TrainConfig, PrecisionError> {
    let path = folder.join("config.toml");
    let kept = if path.exists() { Some(TrainConfig::load(&path, &[])?) } else { None };
    let (wanted, kept_backend) = (config.learning.backend, kept.as_ref().map(|kept| kept.learning.backend));
    config.learning.backend = match wanted.settled(kept_backend, &config.shape) {
        Ok(backend) => backend,
        Err(StepError::NoAmx) if !on_cores => kept_backend.filter(|_| wanted == Backend::Fastest).unwrap_or(wanted),
        Err(error) => {
            let advice = match kept_backend {
                Some(_) => "A run keeps its backend from its start, so go on with it on a machine that has it",
                None => "Use cpu or fastest",
            };
            return Err(PrecisionError::Learning { path: folder.to_owned(), error, advice });
        }
    };
    let precision = match (config.selfplay.precision, kept.map(|kept| kept.selfplay.precision)) {
        (Precision::Bf16, Some(kept)) if kept != Precision::F32 => kept,
        (Precision::Fastest, Some(kept)) => kept,
        (wanted, _) => wanted,
    };
    let wrong = |error| PrecisionError::Lacking { path: folder.to_owned(), precision, error };
    config.selfplay.precision = precision.chosen().map_err(wrong)?;
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(precision: &str) -> TrainConfig {
        let text = "rules = [\"kvasir\"]\nshape = \"b1c16\"\n";
        TrainConfig::parse(text, Path::new("test.toml"), &[format!("selfplay.precision={precision}")]).unwrap()
    }

    /// The precision that a run with this config has, or the error. `kept` is the config of the run so far.
    fn settled(kept: Option<&str>, precision: &str) -> Result<Precision, String> {
        let folder = tempfile::tempdir().unwrap();
        if let Some(kept) = kept {
            std::fs::write(folder.path().join("config.toml"), config(kept).to_toml()).unwrap();
        }
        let settled = settle_precision(folder.path(), config(precision), true);
        settled.map(|config| config.selfplay.precision).map_err(|error| error.to_string())
    }

    #[test]
    fn a_run_keeps_the_kind_of_bf16_that_it_started_with() {
        assert_eq!(settled(None, "f32"), Ok(Precision::F32));
        for kind in [Precision::Bf16Avx512, Precision::Bf16Amx] {
            let name = kind.to_string();
            for (kept, wanted) in [(None, &*name), (Some(&*name), &*name), (Some(&*name), "bf16")] {
                match settled(kept, wanted) {
                    Ok(found) => assert_eq!(found, kind),
                    Err(error) => {
                        assert!(kind.chosen().is_err(), "{error}");
                        assert!(error.contains(&format!("selfplay.precision = \"{name}\"")), "{error}");
                        assert!(error.contains("on a machine that has it"), "{error}");
                        eprintln!("skipped: this machine has no {kind}");
                    }
                }
            }
        }
        match Precision::Bf16.chosen() {
            Ok(chosen) => assert_eq!(settled(None, "bf16"), Ok(chosen)),
            Err(_) => assert!(settled(None, "bf16").is_err()),
        }
        let fastest = Precision::Fastest.chosen().unwrap();
        assert_eq!(settled(None, "fastest"), Ok(fastest));
        assert_eq!(settled(Some("f32"), "fastest"), Ok(Precision::F32));
        assert_eq!(settled(Some(&fastest.to_string()), "fastest"), Ok(fastest));
    }

    #[test]
    fn other_names_are_refused_with_those_that_exist() {
        let text = "rules = [\"kvasir\"]\nshape = \"b1c16\"\n[selfplay]\nprecision = \"f16\"\n";
        let error = TrainConfig::parse(text, Path::new("test.toml"), &[]).unwrap_err().to_string();
        assert!(error.contains("f16") && error.contains("bf16-avx512") && error.contains("line 4"), "{error}");
    }
}
