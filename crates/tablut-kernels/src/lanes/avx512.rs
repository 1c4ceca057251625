//! Sixteen f32 in one AVX-512 register.

use std::arch::x86_64::{
    __m512, _CMP_GT_OQ, _mm512_add_ps, _mm512_cmp_ps_mask, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_maskz_mov_ps,
    _mm512_max_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps, _mm512_sub_ps,
};

use super::{LANES, Lanes};

/// One 512-bit register.
#[derive(Copy, Clone)]
pub(crate) struct Avx512(__m512);

lanes! {
    impl[] Avx512, LANES;
    fn zero() -> Self = Self(_mm512_setzero_ps());
    fn splat(value: f32) -> Self = Self(_mm512_set1_ps(value));
    fn splat_from(from: &[f32], at: usize) -> Self = {
        debug_assert!(at < from.len());
        Self(_mm512_set1_ps(*from.as_ptr().add(at)))
    };
    fn load(from: &[f32], at: usize) -> Self = {
        debug_assert!(at + LANES <= from.len());
        Self(_mm512_loadu_ps(from.as_ptr().add(at)))
    };
    fn store(self: Self, into: &mut [f32], at: usize) = {
        debug_assert!(at + LANES <= into.len());
        _mm512_storeu_ps(into.as_mut_ptr().add(at), self.0);
    };
    fn add(self: Self, other: Self) -> Self = Self(_mm512_add_ps(self.0, other.0));
    fn sub(self: Self, other: Self) -> Self = Self(_mm512_sub_ps(self.0, other.0));
    fn max(self: Self, other: Self) -> Self = Self(_mm512_max_ps(self.0, other.0));
    fn where_positive(self: Self, gate: Self) -> Self =
        Self(_mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(gate.0, _mm512_setzero_ps()), self.0));
    fn mul_add(self: Self, factor: Self, term: Self) -> Self = Self(_mm512_fmadd_ps(self.0, factor.0, term.0));
}
