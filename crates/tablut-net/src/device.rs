//! Devices other than the cores, such as a GPU: their names, and what they do. Other crates implement them.

use std::fmt;
use std::str::FromStr;

use crate::batch::Inference;
use crate::error::NetError;
use crate::weights::Weights;

/// The device that a config or a command names: `cpu`, `gpu:0` or `auto`.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
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

tablut_rules::serde_as_text!(DeviceChoice);

/// A device that evaluates positions.
pub trait NetDevice: Send + Sync {
    /// The device's name in messages and metrics, such as `gpu:0 (NVIDIA H200)`.
    fn name(&self) -> &str;

    /// Opens a net on the device, for one thread.
    ///
    /// # Errors
    /// If the device fails.
    fn open(&self, weights: &Weights) -> Result<Box<dyn Inference>, NetError>;
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
}
