//! Sixteen f32 in two AVX2 registers.

use std::arch::x86_64::{
    __m256, _CMP_GT_OQ, _MM_HINT_T1, _mm_prefetch, _mm256_add_ps, _mm256_and_ps, _mm256_cmp_ps, _mm256_fmadd_ps,
    _mm256_loadu_ps, _mm256_max_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps, _mm256_sub_ps,
};

use super::{LANES, Lanes};

/// Two 256-bit registers: lanes 0 to 7 and 8 to 15.
#[derive(Copy, Clone)]
pub(crate) struct Avx2(__m256, __m256);

// Every block below is sound for the same two reasons, which are the trait's contract. The caller runs on a machine
// with AVX2 and FMA inside a function compiled for them, and it keeps `at` inside the slice. Debug builds check the
// latter.
impl Lanes for Avx2 {
    #[inline(always)]
    unsafe fn zero() -> Avx2 {
        // SAFETY: the trait's contract.
        unsafe { Avx2(_mm256_setzero_ps(), _mm256_setzero_ps()) }
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Avx2 {
        // SAFETY: the trait's contract.
        let half = unsafe { _mm256_set1_ps(value) };
        Avx2(half, half)
    }

    #[inline(always)]
    unsafe fn splat_from(from: &[f32], at: usize) -> Avx2 {
        debug_assert!(at < from.len());
        // SAFETY: the trait's contract: `at` lies inside `from`.
        let half = unsafe { _mm256_set1_ps(*from.as_ptr().add(at)) };
        Avx2(half, half)
    }

    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Avx2 {
        debug_assert!(at + LANES <= from.len());
        // SAFETY: the trait's contract: sixteen values from `at` lie inside `from`.
        unsafe {
            let pointer = from.as_ptr().add(at);
            Avx2(_mm256_loadu_ps(pointer), _mm256_loadu_ps(pointer.add(8)))
        }
    }

    #[inline(always)]
    unsafe fn store(self, into: &mut [f32], at: usize) {
        debug_assert!(at + LANES <= into.len());
        // SAFETY: the trait's contract: sixteen values from `at` lie inside `into`.
        unsafe {
            let pointer = into.as_mut_ptr().add(at);
            _mm256_storeu_ps(pointer, self.0);
            _mm256_storeu_ps(pointer.add(8), self.1);
        }
    }

    #[inline(always)]
    unsafe fn add(self, other: Avx2) -> Avx2 {
        // SAFETY: the trait's contract.
        unsafe { Avx2(_mm256_add_ps(self.0, other.0), _mm256_add_ps(self.1, other.1)) }
    }

    #[inline(always)]
    unsafe fn sub(self, other: Avx2) -> Avx2 {
        // SAFETY: the trait's contract.
        unsafe { Avx2(_mm256_sub_ps(self.0, other.0), _mm256_sub_ps(self.1, other.1)) }
    }

    #[inline(always)]
    unsafe fn max(self, other: Avx2) -> Avx2 {
        // SAFETY: the trait's contract.
        unsafe { Avx2(_mm256_max_ps(self.0, other.0), _mm256_max_ps(self.1, other.1)) }
    }

    #[inline(always)]
    unsafe fn where_positive(self, gate: Avx2) -> Avx2 {
        // SAFETY: the trait's contract.
        unsafe {
            let zero = _mm256_setzero_ps();
            Avx2(
                _mm256_and_ps(self.0, _mm256_cmp_ps::<_CMP_GT_OQ>(gate.0, zero)),
                _mm256_and_ps(self.1, _mm256_cmp_ps::<_CMP_GT_OQ>(gate.1, zero)),
            )
        }
    }

    #[inline(always)]
    unsafe fn mul_add(self, factor: Avx2, term: Avx2) -> Avx2 {
        // SAFETY: the trait's contract.
        unsafe { Avx2(_mm256_fmadd_ps(self.0, factor.0, term.0), _mm256_fmadd_ps(self.1, factor.1, term.1)) }
    }

    #[inline(always)]
    unsafe fn prefetch(from: &[f32], at: usize) {
        // SAFETY: a prefetch never faults, whatever its address; `wrapping_add` keeps the pointer arithmetic defined.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(from.as_ptr().wrapping_add(at).cast()) };
    }
}
