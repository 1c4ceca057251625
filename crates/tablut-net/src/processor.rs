//! Where nets run: on the cores of this machine, or on a device such as a GPU. Other crates implement devices.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use crate::batch::{Inference, InputBatch, OutputBatch};
use crate::engine::{Engine, EngineOptions};
use crate::error::NetError;
use crate::specialists::ByRules;
use crate::weights::Weights;

/// The device that a config or a command names: `cpu`, `gpu:0` or `auto`.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum DeviceChoice {
    /// The cores (the default).
    #[default]
    Cpu,
    /// The GPU with this number, from 0. Drivers that run on the CPU come last.
    Gpu(usize),
    /// The first GPU, or the cores if there is none.
    Auto,
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Gpu(number) => write!(f, "gpu:{number}"),
            Self::Auto => f.write_str("auto"),
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = NetError;

    fn from_str(text: &str) -> Result<Self, NetError> {
        match text {
            "cpu" => Ok(Self::Cpu),
            "auto" => Ok(Self::Auto),
            _ => {
                let number =
                    text.strip_prefix("gpu:").filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
                let number = number.and_then(|number| number.parse::<u16>().ok());
                number.map(|number| Self::Gpu(number.into())).ok_or_else(|| NetError::DeviceName(text.to_owned()))
            }
        }
    }
}

impl TryFrom<String> for DeviceChoice {
    type Error = NetError;

    fn try_from(text: String) -> Result<Self, NetError> {
        text.parse()
    }
}

impl From<DeviceChoice> for String {
    fn from(choice: DeviceChoice) -> Self {
        choice.to_string()
    }
}

/// A device that runs nets for many threads.
pub trait NetDevice: Send + Sync {
    /// The device's name in messages and metrics, such as `gpu:0 (NVIDIA H200, f16)`.
    fn name(&self) -> &str;

    /// Opens a net without specialists on the device, for one thread. Threads that open equal weights share them on the
    /// device, and the device joins their batches.
    ///
    /// # Errors
    /// If the device fails.
    fn open(&self, weights: &Weights) -> Result<Box<dyn Inference>, NetError>;
}

/// Opens a net on a device. Each of its parts is a separate net there.
fn open(device: &dyn NetDevice, weights: &Weights) -> Result<Box<dyn Inference>, NetError> {
    if weights.specialists().next().is_none() {
        return device.open(weights);
    }
    let nets = weights.part_weights().map(|part| device.open(&part)).collect::<Result<_, _>>()?;
    Ok(Box::new(ByRules { parts: weights.parts(), nets }))
}

/// Where nets run.
#[derive(Clone, Default)]
pub enum Processor {
    /// The CPU engine.
    #[default]
    Cpu,
    /// A device.
    Device(Arc<dyn NetDevice>),
}

impl fmt::Debug for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Processor({})", self.name())
    }
}

impl Processor {
    /// The name in messages.
    pub fn name(&self) -> &str {
        match self {
            Self::Cpu => "cpu",
            Self::Device(device) => device.name(),
        }
    }

    /// A net for one caller, on `n_threads` threads of the CPU or on the device.
    ///
    /// # Errors
    /// If the device fails, the threads cannot be started, or `TABLUT_SIMD` is wrong.
    pub fn inference(&self, weights: &Weights, n_threads: usize) -> Result<Box<dyn Inference>, NetError> {
        let options = EngineOptions { n_threads, ..EngineOptions::default() };
        match self {
            Self::Cpu => Ok(Box::new(Engine::with_options(weights, options)?)),
            Self::Device(device) => open(&**device, weights),
        }
    }

    /// A net for one thread. If it cannot be opened, its first batch fails.
    pub fn make(&self, weights: &Weights) -> Box<dyn Inference> {
        self.inference(weights, 1).unwrap_or_else(|error| Box::new(Failed(error.to_string())))
    }

    /// A net that many threads share.
    ///
    /// # Errors
    /// If the device fails, or `TABLUT_SIMD` is wrong.
    pub fn load(&self, weights: Arc<Weights>) -> Result<LoadedNet, NetError> {
        let place = match self {
            Self::Cpu => Place::Cpu(Mutex::new(Engine::new(&weights)?)),
            Self::Device(device) => Place::Device(device.clone()),
        };
        Ok(LoadedNet { weights, place })
    }
}

/// A net that is ready to run, for many threads.
pub struct LoadedNet {
    weights: Arc<Weights>,
    place: Place,
}

enum Place {
    /// It is behind a lock, because workers call [`LoadedNet::share`] from their own threads.
    Cpu(Mutex<Engine>),
    Device(Arc<dyn NetDevice>),
}

impl LoadedNet {
    /// Its weights.
    pub fn weights(&self) -> &Arc<Weights> {
        &self.weights
    }

    /// A net for one thread. If the device has failed, its first batch fails.
    ///
    /// # Panics
    /// If another thread panicked during this call.
    pub fn share(&self) -> Box<dyn Inference> {
        self.share_on(1)
    }

    /// A net that distributes each batch among `n_threads` threads of its own. A device needs none. If the threads cannot
    /// be started or the device has failed, its first batch fails.
    ///
    /// # Panics
    /// If another thread panicked during this call.
    pub fn share_on(&self, n_threads: usize) -> Box<dyn Inference> {
        let shared: Result<Box<dyn Inference>, NetError> = match &self.place {
            Place::Cpu(engine) => {
                let engine = engine.lock().expect("sharing an engine does not panic").share(n_threads);
                engine.map(|engine| Box::new(engine) as Box<dyn Inference>)
            }
            Place::Device(device) => open(&**device, &self.weights),
        };
        shared.unwrap_or_else(|error| Box::new(Failed(error.to_string())))
    }
}

/// A net that could not be opened.
struct Failed(String);

impl Inference for Failed {
    fn infer(&mut self, _: &InputBatch, _: &mut OutputBatch) -> Result<(), NetError> {
        Err(NetError::Inference(self.0.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_read_back_and_others_refused() {
        for text in ["cpu", "auto", "gpu:0", "gpu:12"] {
            assert_eq!(text.parse::<DeviceChoice>().unwrap().to_string(), text);
        }
        for text in ["gpu", "gpu:", "gpu:x", "gpu:+1", "gpu:-1", "gpu:70000", "cuda:0", ""] {
            let error = text.parse::<DeviceChoice>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")) && error.contains("gpu:0"), "{error}");
        }
    }

    /// A device that is always broken.
    struct Broken;

    impl NetDevice for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }

        fn open(&self, _: &Weights) -> Result<Box<dyn Inference>, NetError> {
            Err(NetError::Inference("the device does not answer".to_owned()))
        }
    }

    #[test]
    fn a_net_that_cannot_be_opened_fails_with_its_first_batch() {
        let weights = Weights::initial(&"b1c16".parse().unwrap(), 1);
        let broken = Processor::Device(Arc::new(Broken));
        assert!(broken.inference(&weights, 1).is_err());
        let shared = broken.load(Arc::new(weights.clone())).unwrap().share();
        for mut net in [broken.make(&weights), shared] {
            let error = net.infer(&InputBatch::default(), &mut OutputBatch::default()).unwrap_err();
            assert_eq!(error.to_string(), "the device does not answer");
        }
        let mut cpu = Processor::Cpu.load(Arc::new(weights)).unwrap().share();
        cpu.infer(&InputBatch::default(), &mut OutputBatch::default()).unwrap();
    }
}
