//! A vector of sixteen f32. Every kernel is written once with it, for all levels.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod quads;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod simd128;

/// The number of f32 in one vector. The number of channels is a multiple of it.
pub const LANES: usize = 16;

/// A vector of [`LANES`] f32.
///
/// # Safety
///
/// Call every method only inside a function compiled for the vector's instructions, on a machine that has them. For
/// `load`, `store` and `splat_from`, `at` (and for vectors the fifteen places after it) must also lie inside the slice;
/// only [`Plain`] checks that.
#[allow(clippy::missing_safety_doc, reason = "stated once, on the trait")]
pub(crate) trait Lanes: Copy {
    unsafe fn zero() -> Self;
    unsafe fn splat(value: f32) -> Self;
    unsafe fn splat_from(from: &[f32], at: usize) -> Self;
    unsafe fn load(from: &[f32], at: usize) -> Self;
    unsafe fn store(self, into: &mut [f32], at: usize);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    unsafe fn max(self, other: Self) -> Self;
    /// `self` where `gate` is above zero, zero elsewhere.
    unsafe fn where_positive(self, gate: Self) -> Self;
    /// `self * factor + term`, rounded once if the machine can.
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self;
    /// Requests the cache line that holds `from[at]`. `at` may lie outside.
    unsafe fn prefetch(from: &[f32], at: usize);

    /// The sum of the lanes, by halves: lane `i` and lane `i + 8`, then `i + 4`, `i + 2`, `i + 1`. The order is the
    /// same at every level.
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        let mut lanes = [0.0; LANES];
        // SAFETY: the caller keeps the trait's contract; the array has one vector's length.
        unsafe { self.store(&mut lanes, 0) };
        let mut half = LANES / 2;
        while half > 0 {
            for i in 0..half {
                lanes[i] += lanes[i + half];
            }
            half /= 2;
        }
        lanes[0]
    }
}

/// Sixteen f32 in safe Rust; every access is checked.
#[derive(Copy, Clone)]
pub(crate) struct Plain([f32; LANES]);

impl Plain {
    #[inline(always)]
    fn zip(self, other: Plain, f: impl Fn(f32, f32) -> f32) -> Plain {
        let mut lanes = self.0;
        for (a, b) in lanes.iter_mut().zip(other.0) {
            *a = f(*a, b);
        }
        Plain(lanes)
    }
}

impl Lanes for Plain {
    #[inline(always)]
    unsafe fn zero() -> Plain {
        Plain([0.0; LANES])
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Plain {
        Plain([value; LANES])
    }

    #[inline(always)]
    unsafe fn splat_from(from: &[f32], at: usize) -> Plain {
        Plain([from[at]; LANES])
    }

    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Plain {
        let mut lanes = [0.0; LANES];
        lanes.copy_from_slice(&from[at..at + LANES]);
        Plain(lanes)
    }

    #[inline(always)]
    unsafe fn store(self, into: &mut [f32], at: usize) {
        into[at..at + LANES].copy_from_slice(&self.0);
    }

    #[inline(always)]
    unsafe fn add(self, other: Plain) -> Plain {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    unsafe fn sub(self, other: Plain) -> Plain {
        self.zip(other, |a, b| a - b)
    }

    #[inline(always)]
    unsafe fn max(self, other: Plain) -> Plain {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    unsafe fn where_positive(self, gate: Plain) -> Plain {
        self.zip(gate, |a, b| if b > 0.0 { a } else { 0.0 })
    }

    #[inline(always)]
    unsafe fn mul_add(self, factor: Plain, term: Plain) -> Plain {
        // Not `f32::mul_add`: without the instruction it is a slow library call.
        self.zip(factor, |a, b| a * b).zip(term, |a, b| a + b)
    }

    #[inline(always)]
    unsafe fn prefetch(_from: &[f32], _at: usize) {}
}
