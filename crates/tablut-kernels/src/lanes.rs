//! Vectors of f32. Every kernel is written once with them, for all levels.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod simd128;

/// The number of f32 in one vector of the kernels. The number of channels is a multiple of it.
pub const LANES: usize = 16;

/// A vector of [`LANES`] f32, or a register that is a part of one.
///
/// # Safety
///
/// Call every method only inside a function compiled for the vector's instructions, on a machine that has them. For
/// `load`, `store` and `splat_from`, `at` (and for vectors the places after it) must also lie inside the slice; only
/// [`Plain`] checks that.
#[allow(clippy::missing_safety_doc, reason = "stated once, on the trait")]
pub(crate) trait Lanes: Copy {
    /// The number of f32, which divides [`LANES`].
    const WIDTH: usize;
    unsafe fn zero() -> Self;
    unsafe fn splat(value: f32) -> Self;
    unsafe fn splat_from(from: &[f32], at: usize) -> Self;
    unsafe fn load(from: &[f32], at: usize) -> Self;
    unsafe fn store(self, into: &mut [f32], at: usize);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    /// `self` where it is above `other`, `other` elsewhere, also for two zeros and NaNs.
    unsafe fn max(self, other: Self) -> Self;
    /// `self` where `gate` is above zero, zero elsewhere.
    unsafe fn where_positive(self, gate: Self) -> Self;
    /// `self * factor + term`, rounded once if the machine can.
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self;
}

/// Two vectors as one of twice the width.
#[derive(Copy, Clone)]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")), expect(dead_code))]
pub(crate) struct Twice<V>(V, V);

// Every block below is sound because its halves have the same contract.
impl<V: Lanes> Lanes for Twice<V> {
    const WIDTH: usize = 2 * V::WIDTH;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the trait's contract.
        unsafe { Twice(V::zero(), V::zero()) }
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the trait's contract.
        let half = unsafe { V::splat(value) };
        Twice(half, half)
    }

    #[inline(always)]
    unsafe fn splat_from(from: &[f32], at: usize) -> Self {
        // SAFETY: the trait's contract.
        let half = unsafe { V::splat_from(from, at) };
        Twice(half, half)
    }

    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Self {
        // SAFETY: the trait's contract.
        unsafe { Twice(V::load(from, at), V::load(from, at + V::WIDTH)) }
    }

    #[inline(always)]
    unsafe fn store(self, into: &mut [f32], at: usize) {
        // SAFETY: the trait's contract.
        unsafe {
            self.0.store(into, at);
            self.1.store(into, at + V::WIDTH);
        }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        unsafe { Twice(self.0.add(other.0), self.1.add(other.1)) }
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        unsafe { Twice(self.0.sub(other.0), self.1.sub(other.1)) }
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        unsafe { Twice(self.0.max(other.0), self.1.max(other.1)) }
    }

    #[inline(always)]
    unsafe fn where_positive(self, gate: Self) -> Self {
        // SAFETY: the trait's contract.
        unsafe { Twice(self.0.where_positive(gate.0), self.1.where_positive(gate.1)) }
    }

    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
        // SAFETY: the trait's contract.
        unsafe { Twice(self.0.mul_add(factor.0, term.0), self.1.mul_add(factor.1, term.1)) }
    }
}

/// A vector whose products and sums are rounded separately, as without instructions for both together.
#[derive(Copy, Clone)]
pub(crate) struct Unfused<V>(V);

// Every block below is sound because the vector inside has the same contract.
impl<V: Lanes> Lanes for Unfused<V> {
    const WIDTH: usize = V::WIDTH;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { V::zero() })
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { V::splat(value) })
    }

    #[inline(always)]
    unsafe fn splat_from(from: &[f32], at: usize) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { V::splat_from(from, at) })
    }

    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { V::load(from, at) })
    }

    #[inline(always)]
    unsafe fn store(self, into: &mut [f32], at: usize) {
        // SAFETY: the trait's contract.
        unsafe { self.0.store(into, at) };
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { self.0.add(other.0) })
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { self.0.sub(other.0) })
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { self.0.max(other.0) })
    }

    #[inline(always)]
    unsafe fn where_positive(self, gate: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { self.0.where_positive(gate.0) })
    }

    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
        // A product with zero added is the rounded product.
        // SAFETY: the trait's contract.
        Self(unsafe { self.0.mul_add(factor.0, V::zero()).add(term.0) })
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
    const WIDTH: usize = LANES;

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
        // Without the instruction, `f32::mul_add` is a slow library call.
        self.zip(factor, |a, b| a * b).zip(term, |a, b| a + b)
    }
}
