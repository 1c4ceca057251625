//! Four f32 in a WebAssembly register.

use std::arch::wasm32::{
    f32x4_add, f32x4_gt, f32x4_mul, f32x4_pmax, f32x4_splat, f32x4_sub, v128, v128_and, v128_load, v128_store,
};

use super::{Lanes, Twice};

/// Sixteen f32 in four registers.
pub(crate) type Simd128 = Twice<Twice<Simd128Quarter>>;

/// One 128-bit register.
#[derive(Copy, Clone)]
pub(crate) struct Simd128Quarter(v128);

// The module exists only in code compiled for these instructions. So the blocks below are sound if the caller keeps `at`
// inside the slice, which is the trait's contract and which debug builds check.
impl Lanes for Simd128Quarter {
    const WIDTH: usize = 4;

    #[inline(always)]
    unsafe fn zero() -> Self {
        Self(f32x4_splat(0.0))
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self(f32x4_splat(value))
    }

    #[inline(always)]
    unsafe fn splat_from(from: &[f32], at: usize) -> Self {
        debug_assert!(at < from.len());
        // SAFETY: the trait's contract: `at` lies inside `from`.
        Self(f32x4_splat(unsafe { *from.as_ptr().add(at) }))
    }

    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= from.len());
        // SAFETY: the trait's contract: four values from `at` lie inside `from`. They need no alignment.
        Self(unsafe { v128_load(from.as_ptr().add(at).cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, into: &mut [f32], at: usize) {
        debug_assert!(at + Self::WIDTH <= into.len());
        // SAFETY: the trait's contract: four values from `at` lie inside `into`. They need no alignment.
        unsafe { v128_store(into.as_mut_ptr().add(at).cast(), self.0) };
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Self(f32x4_add(self.0, other.0))
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        Self(f32x4_sub(self.0, other.0))
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // The instruction is `other < self ? self : other`.
        Self(f32x4_pmax(other.0, self.0))
    }

    #[inline(always)]
    unsafe fn where_positive(self, gate: Self) -> Self {
        Self(v128_and(self.0, f32x4_gt(gate.0, f32x4_splat(0.0))))
    }

    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
        // Rounded twice, as in `Plain`: a fused instruction exists only in an extension that not every engine has.
        Self(f32x4_add(f32x4_mul(self.0, factor.0), term.0))
    }
}
