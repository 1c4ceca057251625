//! The kernels' vectors and sums of products for NEON, with and without its instructions for the sum of four products (dot
//! product).

use std::arch::aarch64::{
    int8x16_t, int16x8_t, int32x4_t, vaddq_s16, vaddq_s32, vcombine_s16, vcombine_u8, vdupq_n_s16, vdupq_n_s32,
    vdupq_n_u8, vget_low_s8, vld1_u8, vld1q_dup_s32, vld1q_s8, vld1q_s16, vld1q_s32, vmaxq_s16, vminq_s16, vminq_u8,
    vmlal_high_s8, vmlal_s8, vmovl_u8, vmull_high_s8, vmull_s8, vmulq_s16, vpadalq_s16, vpaddq_s32, vqaddq_s16,
    vqmovn_s32, vqmovun_s16, vqrdmulhq_s16, vreinterpretq_s8_s32, vreinterpretq_s16_u16, vshlq_s16, vshlq_s32,
    vst1q_s16, vst1q_s32, vst1q_u8,
};
use std::arch::{asm, is_aarch64_feature_detected};
use std::borrow::Cow;

use super::plain;
use super::sixteen::sixteen;
use super::{Dot, Int8Matrix, Sums, TOP, Target};
use crate::LANES;

/// Where the four vectors of sixteen outputs in [`Int8Matrix::weights`] have their first output.
const FIRST: [usize; 4] = [0, 8, 4, 12];

/// Whether this machine has the dot product.
pub(crate) fn has_dot() -> bool {
    is_aarch64_feature_detected!("dotprod")
}

/// As [`plain::product`], with the dot product.
///
/// # Safety
/// The machine has it. The sizes fit, as [`crate::Kernels::int8_product`] checks.
#[target_feature(enable = "neon,dotprod")]
pub(crate) unsafe fn product_dot(rows: &[u8], matrix: &Int8Matrix, starts: &[i32], target: Target<'_>) {
    // SAFETY: the caller's contract.
    unsafe { plain::product::<Neon<true>>(rows, matrix, starts, target) };
}

/// As [`plain::product`].
///
/// # Safety
/// The sizes fit, as [`crate::Kernels::int8_product`] checks.
pub(crate) unsafe fn product(rows: &[u8], matrix: &Int8Matrix, starts: &[i32], target: Target<'_>) {
    // SAFETY: every 64-bit ARM processor has NEON, and the caller's contract.
    unsafe { plain::product::<Neon<false>>(rows, matrix, starts, target) };
}

/// Four activations from `from[at]` on, four times.
///
/// # Safety
/// They lie inside the slice.
#[inline(always)]
unsafe fn four(from: &[u8], at: usize) -> int8x16_t {
    debug_assert!(at + 4 <= from.len());
    // SAFETY: the caller's contract. The load needs no alignment.
    unsafe { vreinterpretq_s8_s32(vld1q_dup_s32(from.as_ptr().add(at).cast())) }
}

/// The weights of four outputs from the inputs `4 * four` to `4 * four + 3`.
///
/// # Safety
/// The matrix has them.
#[inline(always)]
unsafe fn weights(matrix: &Int8Matrix, output: usize, four: usize, vector: usize) -> int8x16_t {
    let at = output * matrix.inputs + 64 * four + 16 * vector;
    debug_assert!(at + 16 <= matrix.weights.len());
    // SAFETY: the caller's contract.
    unsafe { vld1q_s8(matrix.weights.as_ptr().add(at)) }
}

/// Two registers.
#[derive(Copy, Clone)]
pub(crate) struct Wide(int16x8_t, int16x8_t);

impl Wide {
    #[inline(always)]
    fn zip(self, other: Wide, f: impl Fn(int16x8_t, int16x8_t) -> int16x8_t) -> Wide {
        Wide(f(self.0, other.0), f(self.1, other.1))
    }
}

sixteen! {
    Wide;
    fn splat(value: i16) -> Wide = Wide(vdupq_n_s16(value), vdupq_n_s16(value));
    fn load(from: &[i16; LANES]) -> Wide = Wide(vld1q_s16(from.as_ptr()), vld1q_s16(from[8..].as_ptr()));
    fn store(self: Self, into: &mut [i16; LANES]) = {
        vst1q_s16(into.as_mut_ptr(), self.0);
        vst1q_s16(into[8..].as_mut_ptr(), self.1);
    };
    fn of_bytes(from: &[u8; LANES]) -> Wide = {
        let wide = |from: &[u8]| vreinterpretq_s16_u16(vmovl_u8(vld1_u8(from.as_ptr())));
        Wide(wide(from), wide(&from[8..]))
    };
    fn store_cut(self: Self, into: &mut [u8; LANES]) = {
        let bytes = vcombine_u8(vqmovun_s16(self.0), vqmovun_s16(self.1));
        vst1q_u8(into.as_mut_ptr(), vminq_u8(bytes, vdupq_n_u8(TOP as u8)));
    };
    fn of_sums(sums: &[i32; LANES], shift: u32) -> Wide = {
        // A shift to the left by a negative number is one to the right.
        let (half, count) = (vdupq_n_s32(1 << shift >> 1), vdupq_n_s32(-(shift as i32)));
        let [a, b, c, d] = [0, 4, 8, 12]
            .map(|first| vqmovn_s32(vshlq_s32(vaddq_s32(vld1q_s32(sums[first..].as_ptr()), half), count)));
        Wide(vcombine_s16(a, b), vcombine_s16(c, d))
    };
    fn add(self: Self, other: Wide) -> Wide = self.zip(other, |a, b| vaddq_s16(a, b));
    fn mul(self: Self, other: Wide) -> Wide = self.zip(other, |a, b| vmulq_s16(a, b));
    fn add_cut(self: Self, other: Wide) -> Wide = self.zip(other, |a, b| vqaddq_s16(a, b));
    fn max(self: Self, other: Wide) -> Wide = self.zip(other, |a, b| vmaxq_s16(a, b));
    fn min(self: Self, other: Wide) -> Wide = self.zip(other, |a, b| vminq_s16(a, b));
    fn scaled(self: Self, multipliers: Wide) -> Wide = self.zip(multipliers, |a, b| vqrdmulhq_s16(a, b));
    fn shift_right(self: Self, bits: u32) -> Wide = {
        let count = vdupq_n_s16(-(bits as i16));
        Wide(vshlq_s16(self.0, count), vshlq_s16(self.1, count))
    };
}

/// With the dot product (`DOT`), or with products of bytes.
pub(crate) struct Neon<const DOT: bool>;

impl<const DOT: bool> Dot for Neon<DOT> {
    type Vector = Wide;
    type Activation = u8;

    fn activations(rows: &[u8]) -> Cow<'_, [u8]> {
        rows.into()
    }

    #[inline(always)]
    unsafe fn sums<const R: usize>(rows: &[u8], matrix: &Int8Matrix, starts: &Sums, output: usize) -> [Sums; R] {
        // SAFETY: the trait's contract.
        unsafe {
            if DOT { sums_by_fours(rows, matrix, starts, output) } else { sums_by_pairs(rows, matrix, starts, output) }
        }
    }
}

/// [`Dot::sums`] by the dot product.
///
/// # Safety
/// The contract of the trait, and the machine has the dot product.
#[inline(always)]
unsafe fn sums_by_fours<const R: usize>(rows: &[u8], matrix: &Int8Matrix, starts: &Sums, output: usize) -> [Sums; R] {
    // SAFETY: the caller's contract: rows, outputs and their weights exist, and the machine has the dot product.
    unsafe {
        let mut sums = [FIRST.map(|first| vld1q_s32(starts[first..].as_ptr())); R];
        for input in 0..matrix.inputs / 4 {
            let w: [_; 4] = std::array::from_fn(|vector| weights(matrix, output, input, vector));
            for (row, sums) in sums.iter_mut().enumerate() {
                let x = four(rows, row * matrix.inputs + 4 * input);
                for (sum, w) in sums.iter_mut().zip(w) {
                    *sum = dot(*sum, w, x);
                }
            }
        }
        sums.map(|sums| stored(sums))
    }
}

/// `sums[k] + Σ a[4k + i] · b[4k + i]`.
///
/// # Safety
/// The machine has the dot product.
#[inline(always)]
unsafe fn dot(mut sums: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
    // SAFETY: the caller's contract. The instruction reads and writes its registers only. (Its intrinsic is not stable.)
    unsafe {
        asm!(
            ".arch_extension dotprod",
            "sdot {0:v}.4s, {1:v}.16b, {2:v}.16b",
            inout(vreg) sums, in(vreg) a, in(vreg) b,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sums
}

/// [`Dot::sums`] by products of bytes. Two of them, added, have sixteen bits, because activations have seven.
///
/// # Safety
/// The contract of the trait.
#[inline(always)]
unsafe fn sums_by_pairs<const R: usize>(rows: &[u8], matrix: &Int8Matrix, starts: &Sums, output: usize) -> [Sums; R] {
    // SAFETY: the caller's contract: rows, outputs and their weights exist. The number of inputs is a multiple of 32.
    unsafe {
        // Two sums for each output, of its even and odd pairs of inputs.
        let mut halves = [[[vdupq_n_s32(0); 2]; 4]; R];
        for input in (0..matrix.inputs / 4).step_by(2) {
            for vector in 0..4 {
                let w = [input, input + 1].map(|input| weights(matrix, output, input, vector));
                for (row, halves) in halves.iter_mut().enumerate() {
                    let x = [input, input + 1].map(|input| four(rows, row * matrix.inputs + 4 * input));
                    let low: int16x8_t =
                        vmlal_s8(vmull_s8(vget_low_s8(w[0]), vget_low_s8(x[0])), vget_low_s8(w[1]), vget_low_s8(x[1]));
                    let high = vmlal_high_s8(vmull_high_s8(w[0], x[0]), w[1], x[1]);
                    let [first, second] = &mut halves[vector];
                    *first = vpadalq_s16(*first, low);
                    *second = vpadalq_s16(*second, high);
                }
            }
        }
        let mut sums = [*starts; R];
        for (sums, halves) in sums.iter_mut().zip(halves) {
            let own = stored(halves.map(|[first, second]| vpaddq_s32(first, second)));
            for (sum, own) in sums.iter_mut().zip(own) {
                *sum += own;
            }
        }
        sums
    }
}

/// Four vectors in the order of [`Int8Matrix::weights`] as sixteen sums.
#[inline(always)]
fn stored(vectors: [int32x4_t; 4]) -> Sums {
    let mut sums = [0; LANES];
    for (first, vector) in FIRST.into_iter().zip(vectors) {
        // SAFETY: every 64-bit ARM processor has NEON, and four sums from `first` on exist.
        unsafe { vst1q_s32(sums[first..].as_mut_ptr(), vector) };
    }
    sums
}
