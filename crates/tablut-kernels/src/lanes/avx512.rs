//! Sixteen f32 in one AVX-512 register.

use std::arch::x86_64::{
    __m512, _CMP_GT_OQ, _mm512_add_ps, _mm512_cmp_ps_mask, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_maskz_mov_ps,
    _mm512_max_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps, _mm512_sub_ps,
};

use super::{LANES, Lanes};

/// One 512-bit register.
#[derive(Copy, Clone)]
pub(crate) struct Avx512(__m512);

// Every block below is sound for the same two reasons, which are the trait's contract. The caller runs on a machine
// with AVX-512F inside a function compiled for it, and it keeps `at` inside the slice. Debug builds check the latter.
impl Lanes for Avx512 {
    const WIDTH: usize = LANES;

    #[inline(always)]
    unsafe fn zero() -> Avx512 {
        // SAFETY: the trait's contract.
        Avx512(unsafe { _mm512_setzero_ps() })
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Avx512 {
        // SAFETY: the trait's contract.
        Avx512(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    unsafe fn splat_from(from: &[f32], at: usize) -> Avx512 {
        debug_assert!(at < from.len());
        // SAFETY: the trait's contract: `at` lies inside `from`.
        Avx512(unsafe { _mm512_set1_ps(*from.as_ptr().add(at)) })
    }

    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Avx512 {
        debug_assert!(at + LANES <= from.len());
        // SAFETY: the trait's contract: sixteen values from `at` lie inside `from`.
        Avx512(unsafe { _mm512_loadu_ps(from.as_ptr().add(at)) })
    }

    #[inline(always)]
    unsafe fn store(self, into: &mut [f32], at: usize) {
        debug_assert!(at + LANES <= into.len());
        // SAFETY: the trait's contract: sixteen values from `at` lie inside `into`.
        unsafe { _mm512_storeu_ps(into.as_mut_ptr().add(at), self.0) };
    }

    #[inline(always)]
    unsafe fn add(self, other: Avx512) -> Avx512 {
        // SAFETY: the trait's contract.
        Avx512(unsafe { _mm512_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn sub(self, other: Avx512) -> Avx512 {
        // SAFETY: the trait's contract.
        Avx512(unsafe { _mm512_sub_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn max(self, other: Avx512) -> Avx512 {
        // SAFETY: the trait's contract.
        Avx512(unsafe { _mm512_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn where_positive(self, gate: Avx512) -> Avx512 {
        // SAFETY: the trait's contract.
        unsafe {
            let mask = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(gate.0, _mm512_setzero_ps());
            Avx512(_mm512_maskz_mov_ps(mask, self.0))
        }
    }

    #[inline(always)]
    unsafe fn mul_add(self, factor: Avx512, term: Avx512) -> Avx512 {
        // SAFETY: the trait's contract.
        Avx512(unsafe { _mm512_fmadd_ps(self.0, factor.0, term.0) })
    }
}
