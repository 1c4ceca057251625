//! The precision of the convolutions, and the other options of an engine.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tablut_kernels::{Bf16Kernels, Bf16Vectors, Simd};

use crate::error::NetError;

/// The precision of an engine's convolutions. Everything else is f32.
///
/// Users choose between `f32`, which gives the same bits on every machine, and `fastest`. On some machines `fastest`
/// stands for one of the other two. Files name the actual precision, so that a run is repeated only with the same one.
///
/// In bf16 inputs and weights are rounded to eight bits of precision, with sums in f32. The two kinds of bf16 round
/// different numbers, so their results differ.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// Single precision, on every machine.
    #[default]
    F32,
    /// bf16 on vectors: Winograd's convolutions with rounded tiles and weights. It needs AVX-512 with bf16 (AMD since
    /// Zen 4; Intel's servers since 2020).
    Bf16Avx512,
    /// bf16 on matrix registers (Intel's AMX, since 2023), under Linux: direct convolutions.
    Bf16Amx,
    /// The fastest precision of this machine: `bf16-amx` if it runs, otherwise `bf16-avx512` on AMD's processors,
    /// otherwise `f32`. On Intel's processors bf16 on vectors is no faster than f32 (`experiments/inference`).
    Fastest,
}

impl Precision {
    /// Every precision.
    pub const ALL: [Precision; 4] = [Precision::F32, Precision::Fastest, Precision::Bf16Avx512, Precision::Bf16Amx];

    /// Whether this machine can run it.
    pub fn is_available(self) -> bool {
        match self {
            Precision::F32 | Precision::Fastest => true,
            Precision::Bf16Avx512 => Bf16Vectors::request().is_some(),
            Precision::Bf16Amx => Bf16Kernels::request().is_some(),
        }
    }

    /// The precision that an engine of this process uses: for `fastest` the one that it stands for, otherwise itself.
    ///
    /// # Errors
    ///
    /// If this machine cannot run it, or `TABLUT_SIMD` forbids it or names no instruction set.
    pub fn chosen(self) -> Result<Precision, NetError> {
        if self == Precision::F32 {
            return Ok(self);
        }
        self.chosen_for(Simd::from_env().map_err(|error| NetError::Inference(error.to_string()))?)
    }

    /// Like [`Precision::chosen`], with the instructions of `simd`.
    pub(crate) fn chosen_for(self, simd: Simd) -> Result<Precision, NetError> {
        // With a forced lower level, this machine must behave like one without the higher levels.
        let allowed = |precision: &Precision| *precision == Precision::F32 || simd == Simd::Avx512;
        let pays = |precision: &Precision| {
            self != Precision::Fastest || *precision != Precision::Bf16Avx512 || Bf16Vectors::outruns_f32()
        };
        let runs = |precision: &Precision| allowed(precision) && precision.is_available() && pays(precision);
        let kinds: &[Precision] = match self {
            Precision::F32 => return Ok(Precision::F32),
            Precision::Bf16Avx512 => &[Precision::Bf16Avx512],
            Precision::Bf16Amx => &[Precision::Bf16Amx],
            Precision::Fastest => &[Precision::Bf16Amx, Precision::Bf16Avx512, Precision::F32],
        };
        let needs = match self {
            Precision::Bf16Amx => "Linux, a processor with AMX (Intel, since 2023), and no lower level in TABLUT_SIMD",
            _ => "a processor with AVX-512 and its bf16, and no lower level in TABLUT_SIMD",
        };
        let chosen = kinds.iter().copied().find(|kind| runs(kind));
        chosen.ok_or_else(|| NetError::Inference(format!("precision {self} needs {needs}: use f32")))
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Precision::F32 => "f32",
            Precision::Bf16Avx512 => "bf16-avx512",
            Precision::Bf16Amx => "bf16-amx",
            Precision::Fastest => "fastest",
        })
    }
}

impl FromStr for Precision {
    type Err = NetError;

    fn from_str(text: &str) -> Result<Self, NetError> {
        Precision::ALL.into_iter().find(|precision| precision.to_string() == text).ok_or_else(|| {
            NetError::Inference(format!("precision `{text}`: expected f32, fastest, bf16-avx512 or bf16-amx"))
        })
    }
}

/// The options of an engine.
#[derive(Copy, Clone, Debug)]
pub struct EngineOptions {
    /// Threads that share each batch, including the calling one. 0 counts as 1. Use several for big batches and for
    /// analysis. In self-play, one engine per worker on one thread is faster.
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
        for precision in Precision::ALL {
            assert_eq!(precision.to_string().parse::<Precision>().unwrap(), precision);
            assert_eq!(serde_json::to_string(&precision).unwrap(), format!("\"{precision}\""));
        }
        let error = "f16".parse::<Precision>().unwrap_err().to_string();
        assert!(error.contains("`f16`") && error.contains("fastest"), "{error}");
    }

    #[test]
    fn fastest_becomes_one_that_runs_here_and_bf16_needs_avx512() {
        assert_eq!(Precision::F32.chosen_for(Simd::Plain).unwrap(), Precision::F32);
        assert_eq!(Precision::Fastest.chosen_for(Simd::Avx2).unwrap(), Precision::F32);
        let fastest = Precision::Fastest.chosen_for(Simd::Avx512).unwrap();
        assert_eq!(fastest == Precision::Bf16Amx, Precision::Bf16Amx.is_available());
        let vectors = !Precision::Bf16Amx.is_available() && Bf16Vectors::outruns_f32();
        assert_eq!(fastest == Precision::Bf16Avx512, vectors);
        for precision in [Precision::Bf16Avx512, Precision::Bf16Amx] {
            let error = precision.chosen_for(Simd::Avx2).unwrap_err().to_string();
            assert!(error.contains(&format!("precision {precision} needs")) && error.contains("use f32"), "{error}");
            match precision.chosen_for(Simd::Avx512) {
                Ok(chosen) => assert!(chosen.is_available() && chosen == precision, "{chosen}"),
                Err(_) => assert!(!precision.is_available(), "{precision}"),
            }
        }
    }
}
