//! Rounds tiles to bf16 while they are computed.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256bh, __m256i, _mm256_storeu_si256, _mm512_cvtneps_pbh};
#[cfg(target_arch = "x86_64")]
use std::mem::transmute;

use super::images::round;
#[cfg(target_arch = "x86_64")]
use crate::Grid;
use crate::LANES;
use crate::lanes::Lanes;
#[cfg(target_arch = "x86_64")]
use crate::lanes::avx512::Avx512;
use crate::winograd::input::PointSink;
#[cfg(target_arch = "x86_64")]
use crate::winograd::input::transform;

/// Rounds in safe code.
pub(super) struct RoundingPlain<'a>(pub &'a mut [u16]);

impl<V: Lanes> PointSink<V> for RoundingPlain<'_> {
    #[inline(always)]
    unsafe fn put(&mut self, at: usize, value: V) {
        let mut wide = [0.0; LANES];
        // SAFETY: the trait's contract; `wide` holds sixteen values.
        unsafe { value.store(&mut wide, 0) };
        for (narrow, wide) in self.0[at..at + LANES].iter_mut().zip(wide) {
            *narrow = round(wide);
        }
    }
}

/// Rounds all values of a register in one instruction.
#[cfg(target_arch = "x86_64")]
pub(super) struct RoundingVectors<'a>(&'a mut [u16]);

#[cfg(target_arch = "x86_64")]
impl RoundingVectors<'_> {
    /// Like [`transform`], but rounds the tiles.
    ///
    /// # Safety
    ///
    /// The machine has AVX-512F and AVX-512-BF16, and the sizes fit as [`transform`] requires.
    #[target_feature(enable = "avx512f,avx512bf16")]
    pub(super) unsafe fn transform(
        grid: Grid,
        channels: usize,
        image: &[f32],
        out: &mut [u16],
        first: usize,
        point_stride: usize,
    ) {
        // SAFETY: the caller's contract, which is that of the transform.
        unsafe { transform::<Avx512, _>(grid, channels, image, RoundingVectors(out), first, point_stride) };
    }
}

#[cfg(target_arch = "x86_64")]
impl PointSink<Avx512> for RoundingVectors<'_> {
    #[inline(always)]
    unsafe fn put(&mut self, at: usize, value: Avx512) {
        debug_assert!(at + LANES <= self.0.len());
        // SAFETY: the trait's contract: the sixteen places lie inside the sink; `transform` above runs only where the
        // instructions are.
        unsafe {
            let narrow = transmute::<__m256bh, __m256i>(_mm512_cvtneps_pbh(value.register()));
            _mm256_storeu_si256(self.0.as_mut_ptr().add(at).cast(), narrow);
        }
    }
}
