//! Eight f32 in an AVX2 register.

use std::arch::x86_64::{
    __m256, _CMP_GT_OQ, _mm256_add_ps, _mm256_and_ps, _mm256_cmp_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_max_ps,
    _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps, _mm256_sub_ps,
};

use super::{Lanes, Twice};

/// Sixteen f32 in two registers.
pub(crate) type Avx2 = Twice<Avx2Half>;

/// One 256-bit register.
#[derive(Copy, Clone)]
pub(crate) struct Avx2Half(__m256);

lanes! {
    impl[] Avx2Half, 8;
    fn zero() -> Self = Self(_mm256_setzero_ps());
    fn splat(value: f32) -> Self = Self(_mm256_set1_ps(value));
    fn splat_from(from: &[f32], at: usize) -> Self = {
        debug_assert!(at < from.len());
        Self(_mm256_set1_ps(*from.as_ptr().add(at)))
    };
    fn load(from: &[f32], at: usize) -> Self = {
        debug_assert!(at + Self::WIDTH <= from.len());
        Self(_mm256_loadu_ps(from.as_ptr().add(at)))
    };
    fn store(self: Self, into: &mut [f32], at: usize) = {
        debug_assert!(at + Self::WIDTH <= into.len());
        _mm256_storeu_ps(into.as_mut_ptr().add(at), self.0);
    };
    fn add(self: Self, other: Self) -> Self = Self(_mm256_add_ps(self.0, other.0));
    fn sub(self: Self, other: Self) -> Self = Self(_mm256_sub_ps(self.0, other.0));
    fn max(self: Self, other: Self) -> Self = Self(_mm256_max_ps(self.0, other.0));
    fn where_positive(self: Self, gate: Self) -> Self =
        Self(_mm256_and_ps(self.0, _mm256_cmp_ps::<_CMP_GT_OQ>(gate.0, _mm256_setzero_ps())));
    fn mul_add(self: Self, factor: Self, term: Self) -> Self = Self(_mm256_fmadd_ps(self.0, factor.0, term.0));
}
