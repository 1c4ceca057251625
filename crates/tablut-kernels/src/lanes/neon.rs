//! Four f32 in a NEON register.

use std::arch::aarch64::{
    float32x4_t, vaddq_f32, vandq_u32, vbslq_f32, vcgtq_f32, vcgtzq_f32, vdupq_n_f32, vfmaq_f32, vld1q_f32,
    vreinterpretq_f32_u32, vreinterpretq_u32_f32, vst1q_f32, vsubq_f32,
};

use super::quads::Quad;

/// A vector of sixteen f32.
pub(crate) type Neon = super::quads::Quads<float32x4_t>;

// Every block below is sound by the trait's contract: the machine has NEON, and pointers are valid for four f32.
impl Quad for float32x4_t {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the trait's contract.
        unsafe { vdupq_n_f32(value) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the trait's contract.
        unsafe { vld1q_f32(from) }
    }

    #[inline(always)]
    unsafe fn store(self, into: *mut f32) {
        // SAFETY: the trait's contract.
        unsafe { vst1q_f32(into, self) };
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        unsafe { vaddq_f32(self, other) }
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        unsafe { vsubq_f32(self, other) }
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        unsafe { vbslq_f32(vcgtq_f32(self, other), self, other) }
    }

    #[inline(always)]
    unsafe fn where_positive(self, gate: Self) -> Self {
        // SAFETY: the trait's contract.
        unsafe { vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(self), vcgtzq_f32(gate))) }
    }

    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
        // SAFETY: the trait's contract.
        unsafe { vfmaq_f32(term, self, factor) }
    }
}
