//! Four f32 in a NEON register.

use std::arch::aarch64::{
    float32x4_t, vaddq_f32, vandq_u32, vbslq_f32, vcgtq_f32, vcgtzq_f32, vdupq_n_f32, vfmaq_f32, vld1q_f32,
    vreinterpretq_f32_u32, vreinterpretq_u32_f32, vst1q_f32, vsubq_f32,
};

use super::{Lanes, Twice};

/// Sixteen f32 in four registers.
pub(crate) type Neon = Twice<Twice<NeonQuarter>>;

/// One 128-bit register.
#[derive(Copy, Clone)]
pub(crate) struct NeonQuarter(float32x4_t);

// Every block below is sound for the same two reasons, which are the trait's contract. The caller runs on a machine
// with NEON, and it keeps `at` inside the slice. Debug builds check the latter.
impl Lanes for NeonQuarter {
    const WIDTH: usize = 4;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { vdupq_n_f32(0.0) })
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { vdupq_n_f32(value) })
    }

    #[inline(always)]
    unsafe fn splat_from(from: &[f32], at: usize) -> Self {
        debug_assert!(at < from.len());
        // SAFETY: the trait's contract: `at` lies inside `from`.
        Self(unsafe { vdupq_n_f32(*from.as_ptr().add(at)) })
    }

    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= from.len());
        // SAFETY: the trait's contract: four values from `at` lie inside `from`. They need no alignment.
        Self(unsafe { vld1q_f32(from.as_ptr().add(at)) })
    }

    #[inline(always)]
    unsafe fn store(self, into: &mut [f32], at: usize) {
        debug_assert!(at + Self::WIDTH <= into.len());
        // SAFETY: the trait's contract: four values from `at` lie inside `into`. They need no alignment.
        unsafe { vst1q_f32(into.as_mut_ptr().add(at), self.0) };
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { vaddq_f32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { vsubq_f32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { vbslq_f32(vcgtq_f32(self.0, other.0), self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn where_positive(self, gate: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(self.0), vcgtzq_f32(gate.0))) })
    }

    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { vfmaq_f32(term.0, self.0, factor.0) })
    }
}
