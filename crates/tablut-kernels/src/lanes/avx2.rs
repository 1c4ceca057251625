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

// Every block below is sound for the same two reasons, which are the trait's contract. The caller runs on a machine
// with AVX2 and FMA inside a function compiled for them, and it keeps `at` inside the slice. Debug builds check the
// latter.
impl Lanes for Avx2Half {
    const WIDTH: usize = 8;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm256_setzero_ps() })
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    unsafe fn splat_from(from: &[f32], at: usize) -> Self {
        debug_assert!(at < from.len());
        // SAFETY: the trait's contract: `at` lies inside `from`.
        Self(unsafe { _mm256_set1_ps(*from.as_ptr().add(at)) })
    }

    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= from.len());
        // SAFETY: the trait's contract: eight values from `at` lie inside `from`.
        Self(unsafe { _mm256_loadu_ps(from.as_ptr().add(at)) })
    }

    #[inline(always)]
    unsafe fn store(self, into: &mut [f32], at: usize) {
        debug_assert!(at + Self::WIDTH <= into.len());
        // SAFETY: the trait's contract: eight values from `at` lie inside `into`.
        unsafe { _mm256_storeu_ps(into.as_mut_ptr().add(at), self.0) };
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm256_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm256_sub_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn where_positive(self, gate: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm256_and_ps(self.0, _mm256_cmp_ps::<_CMP_GT_OQ>(gate.0, _mm256_setzero_ps())) })
    }

    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm256_fmadd_ps(self.0, factor.0, term.0) })
    }
}
