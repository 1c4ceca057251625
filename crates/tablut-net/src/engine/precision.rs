//! The precision of the convolutions, and the other options of an engine.

use std::fmt;
use std::str::FromStr;

use tablut_kernels::{Bf16Kernels, Simd};

use crate::error::NetError;

/// The precision of an engine's convolutions; everything else is f32.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Hash)]
pub enum Precision {
    /// Single precision, on every machine.
    #[default]
    F32,
    /// Inputs and weights rounded to eight bits of precision, with sums in f32. It is several times faster, but needs
    /// Linux and a processor with matrix registers (Intel's AMX, since 2023).
    Bf16,
}

impl Precision {
    /// Whether this machine can run it.
    pub fn is_available(self) -> bool {
        match self {
            Precision::F32 => true,
            Precision::Bf16 => Bf16Kernels::request().is_some(),
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Precision::F32 => "f32",
            Precision::Bf16 => "bf16",
        })
    }
}

impl FromStr for Precision {
    type Err = NetError;

    fn from_str(text: &str) -> Result<Self, NetError> {
        [Precision::F32, Precision::Bf16]
            .into_iter()
            .find(|precision| precision.to_string() == text)
            .ok_or_else(|| NetError::Inference(format!("precision `{text}`: expected f32 or bf16")))
    }
}

/// The options of an engine.
#[derive(Copy, Clone, Debug)]
pub struct EngineOptions {
    /// Threads that share each batch, including the calling one. 0 counts as 1.
    pub n_threads: usize,
    /// The precision of the convolutions.
    pub precision: Precision,
    /// The instruction set. If it is `None`, the engine uses the one that `TABLUT_SIMD` names, or the best one of this
    /// machine.
    pub simd: Option<Simd>,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self { n_threads: 1, precision: Precision::F32, simd: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precisions_are_read_back_and_others_refused() {
        for precision in [Precision::F32, Precision::Bf16] {
            assert_eq!(precision.to_string().parse::<Precision>().unwrap(), precision);
        }
        let error = "f16".parse::<Precision>().unwrap_err().to_string();
        assert!(error.contains("`f16`") && error.contains("bf16"), "{error}");
    }
}
