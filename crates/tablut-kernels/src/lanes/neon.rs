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

lanes! {
    impl[] NeonQuarter, 4;
    fn zero() -> Self = Self(vdupq_n_f32(0.0));
    fn splat(value: f32) -> Self = Self(vdupq_n_f32(value));
    fn splat_from(from: &[f32], at: usize) -> Self = {
        debug_assert!(at < from.len());
        Self(vdupq_n_f32(*from.as_ptr().add(at)))
    };
    fn load(from: &[f32], at: usize) -> Self = {
        debug_assert!(at + Self::WIDTH <= from.len());
        Self(vld1q_f32(from.as_ptr().add(at)))
    };
    fn store(self: Self, into: &mut [f32], at: usize) = {
        debug_assert!(at + Self::WIDTH <= into.len());
        vst1q_f32(into.as_mut_ptr().add(at), self.0);
    };
    fn add(self: Self, other: Self) -> Self = Self(vaddq_f32(self.0, other.0));
    fn sub(self: Self, other: Self) -> Self = Self(vsubq_f32(self.0, other.0));
    fn max(self: Self, other: Self) -> Self = Self(vbslq_f32(vcgtq_f32(self.0, other.0), self.0, other.0));
    fn where_positive(self: Self, gate: Self) -> Self =
        Self(vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(self.0), vcgtzq_f32(gate.0))));
    fn mul_add(self: Self, factor: Self, term: Self) -> Self = Self(vfmaq_f32(term.0, self.0, factor.0));
}
