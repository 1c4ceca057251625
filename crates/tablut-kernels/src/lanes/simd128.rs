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

lanes! {
    impl[] Simd128Quarter, 4;
    fn zero() -> Self = Self(f32x4_splat(0.0));
    fn splat(value: f32) -> Self = Self(f32x4_splat(value));
    fn splat_from(from: &[f32], at: usize) -> Self = {
        debug_assert!(at < from.len());
        Self(f32x4_splat(*from.as_ptr().add(at)))
    };
    fn load(from: &[f32], at: usize) -> Self = {
        debug_assert!(at + Self::WIDTH <= from.len());
        Self(v128_load(from.as_ptr().add(at).cast()))
    };
    fn store(self: Self, into: &mut [f32], at: usize) = {
        debug_assert!(at + Self::WIDTH <= into.len());
        v128_store(into.as_mut_ptr().add(at).cast(), self.0);
    };
    fn add(self: Self, other: Self) -> Self = Self(f32x4_add(self.0, other.0));
    fn sub(self: Self, other: Self) -> Self = Self(f32x4_sub(self.0, other.0));
    // The instruction is `other < self ? self : other`.
    fn max(self: Self, other: Self) -> Self = Self(f32x4_pmax(other.0, self.0));
    fn where_positive(self: Self, gate: Self) -> Self = Self(v128_and(self.0, f32x4_gt(gate.0, f32x4_splat(0.0))));
    // Rounded twice, as in `Plain`: a fused instruction exists only in an extension that not every engine has.
    fn mul_add(self: Self, factor: Self, term: Self) -> Self = Self(f32x4_add(f32x4_mul(self.0, factor.0), term.0));
}
