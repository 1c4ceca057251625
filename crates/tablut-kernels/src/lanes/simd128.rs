//! Four f32 in a WebAssembly register.

use std::arch::wasm32::{
    f32x4_add, f32x4_gt, f32x4_mul, f32x4_pmax, f32x4_splat, f32x4_sub, v128, v128_and, v128_load, v128_store,
};

use super::quads::Quad;

/// A vector of sixteen f32.
pub(crate) type Simd128 = super::quads::Quads<v128>;

// The module exists only in code compiled for these instructions, so only `load` and `store` have a condition.
impl Quad for v128 {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        f32x4_splat(value)
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the trait's contract; WebAssembly's loads need no alignment.
        unsafe { v128_load(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, into: *mut f32) {
        // SAFETY: the trait's contract; WebAssembly's stores need no alignment.
        unsafe { v128_store(into.cast(), self) };
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        f32x4_add(self, other)
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        f32x4_sub(self, other)
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // The instruction is `other < self ? self : other`.
        f32x4_pmax(other, self)
    }

    #[inline(always)]
    unsafe fn where_positive(self, gate: Self) -> Self {
        v128_and(self, f32x4_gt(gate, f32x4_splat(0.0)))
    }

    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
        // Rounded twice, as in `Plain`: a fused instruction exists only in an extension that not every engine has.
        f32x4_add(f32x4_mul(self, factor), term)
    }
}
