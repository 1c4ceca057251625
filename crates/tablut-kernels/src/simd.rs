//! The instruction sets of the kernels, and the choice of one.

use std::fmt;
use std::str::FromStr;

/// The environment variable that forces a level: `avx512`, `avx2`, `neon`, `simd128` or `plain`.
const VARIABLE: &str = "TABLUT_SIMD";

/// A set of vector instructions. They are ordered from the one that runs everywhere to the fastest.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub enum Simd {
    /// Safe Rust without intrinsics, for every machine.
    Plain,
    /// WebAssembly's vectors: in a module that was compiled with them. They round as [`Simd::Plain`] does.
    Simd128,
    /// NEON: every 64-bit ARM processor.
    Neon,
    /// AVX2 and FMA: x86-64 processors since 2013.
    Avx2,
    /// AVX-512F: most x86-64 servers since 2017.
    Avx512,
}

/// A level of [`Simd`] cannot be used.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SimdError {
    /// The text does not name a level.
    #[error("unknown instruction set `{0}` in {VARIABLE}: expected avx512, avx2, neon, simd128 or plain")]
    Unknown(String),
    /// The level exists, but this machine does not support it.
    #[error("this processor has no {0}: choose a lower level with {VARIABLE}, or leave it unset")]
    Unavailable(Simd),
}

impl Simd {
    /// Every level, slowest first.
    pub const ALL: [Simd; 5] = [Simd::Plain, Simd::Simd128, Simd::Neon, Simd::Avx2, Simd::Avx512];

    /// Whether this machine can run the level.
    pub fn is_available(self) -> bool {
        match self {
            Simd::Plain => true,
            Simd::Simd128 => cfg!(all(target_arch = "wasm32", target_feature = "simd128")),
            Simd::Neon => cfg!(target_arch = "aarch64"),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => is_x86_feature_detected!("avx512f"),
            #[cfg(not(target_arch = "x86_64"))]
            Simd::Avx2 | Simd::Avx512 => false,
        }
    }

    /// Whether products and sums are rounded together. All levels that do so give the same bits, and so do all others.
    pub fn is_fused(self) -> bool {
        !matches!(self, Simd::Plain | Simd::Simd128)
    }

    /// The fastest level of this machine.
    pub fn best() -> Simd {
        Simd::ALL.into_iter().rev().find(|simd| simd.is_available()).unwrap_or(Simd::Plain)
    }

    /// The level that `TABLUT_SIMD` names, or the [best](Simd::best) one if it is empty or not set.
    ///
    /// # Errors
    /// If the variable does not name a level, or this machine does not support it.
    pub fn from_env() -> Result<Simd, SimdError> {
        match std::env::var_os(VARIABLE) {
            None => Ok(Simd::best()),
            Some(text) if text.is_empty() => Ok(Simd::best()),
            Some(text) => {
                let simd: Simd = text.to_string_lossy().parse()?;
                simd.check()
            }
        }
    }

    /// The level itself, if this machine has it.
    pub(crate) fn check(self) -> Result<Simd, SimdError> {
        if self.is_available() { Ok(self) } else { Err(SimdError::Unavailable(self)) }
    }
}

impl fmt::Display for Simd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Simd::Plain => "plain",
            Simd::Simd128 => "simd128",
            Simd::Neon => "neon",
            Simd::Avx2 => "avx2",
            Simd::Avx512 => "avx512",
        })
    }
}

impl FromStr for Simd {
    type Err = SimdError;

    fn from_str(text: &str) -> Result<Simd, SimdError> {
        Simd::ALL.into_iter().find(|simd| simd.to_string() == text).ok_or_else(|| SimdError::Unknown(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for simd in Simd::ALL {
            assert_eq!(simd.to_string().parse(), Ok(simd));
        }
    }

    #[test]
    fn an_unknown_name_is_shown_with_what_was_expected() {
        let error = "sse9".parse::<Simd>().unwrap_err().to_string();
        assert!(error.contains("`sse9`") && error.contains("avx2"), "{error}");
    }

    #[test]
    fn the_best_level_is_available_and_plain_always_is() {
        assert!(Simd::best().is_available());
        assert!(Simd::Plain.is_available());
    }
}
