//! The kernels for AVX2, and their products for processors with instructions for the sum of four products (VNNI).

#[allow(clippy::wildcard_imports, reason = "the names of the instructions")]
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::sixteen::{self, MOST_PADDED, Sixteen, sixteen};
use super::{Int8Depthwise, Int8Matrix, TAP_PAIRS, TOP, Target};
use crate::{Grid, LANES};

/// Rows of a block in a product.
const ROWS: usize = 3;

sixteen! {
    __m256i;
    fn splat(value: i16) -> __m256i = _mm256_set1_epi16(value);
    fn load(from: &[i16; LANES]) -> __m256i = _mm256_loadu_si256(from.as_ptr().cast());
    fn store(self: Self, into: &mut [i16; LANES]) = _mm256_storeu_si256(into.as_mut_ptr().cast(), self);
    fn of_bytes(from: &[u8; LANES]) -> __m256i = _mm256_cvtepu8_epi16(_mm_loadu_si128(from.as_ptr().cast()));
    fn store_cut(self: Self, into: &mut [u8; LANES]) = {
        let bytes = _mm256_castsi256_si128(_mm256_permute4x64_epi64::<0x08>(_mm256_packus_epi16(self, self)));
        _mm_storeu_si128(into.as_mut_ptr().cast(), _mm_min_epu8(bytes, _mm_set1_epi8(TOP as i8)));
    };
    fn of_sums(sums: &[i32; LANES], shift: u32) -> __m256i = {
        let (half, count) = (_mm256_set1_epi32(1 << shift >> 1), _mm_cvtsi32_si128(shift as i32));
        let [low, high] = [0, 8].map(|first| _mm256_sra_epi32(_mm256_add_epi32(load(sums, first), half), count));
        _mm256_permute4x64_epi64::<0xd8>(_mm256_packs_epi32(low, high))
    };
    fn add(self: Self, other: __m256i) -> __m256i = _mm256_add_epi16(self, other);
    fn mul(self: Self, other: __m256i) -> __m256i = _mm256_mullo_epi16(self, other);
    fn add_cut(self: Self, other: __m256i) -> __m256i = _mm256_adds_epi16(self, other);
    fn max(self: Self, other: __m256i) -> __m256i = _mm256_max_epi16(self, other);
    fn min(self: Self, other: __m256i) -> __m256i = _mm256_min_epi16(self, other);
    fn scaled(self: Self, multipliers: __m256i) -> __m256i = _mm256_mulhrs_epi16(self, multipliers);
    fn shift_right(self: Self, bits: u32) -> __m256i = _mm256_sra_epi16(self, _mm_cvtsi32_si128(bits as i32));
}

/// Adds to each of eight sums the products of four activations with four weights.
///
/// # Safety
/// Call it only inside a function that is compiled for its instructions.
trait DotFour {
    unsafe fn dot(sums: __m256i, activations: __m256i, weights: __m256i) -> __m256i;
}

/// By AVX2. Two products have fifteen bits, because activations have seven.
struct Pairs;

impl DotFour for Pairs {
    #[inline(always)]
    unsafe fn dot(sums: __m256i, activations: __m256i, weights: __m256i) -> __m256i {
        // SAFETY: the trait's contract.
        unsafe {
            let pairs = _mm256_maddubs_epi16(activations, weights);
            _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
        }
    }
}

/// By VNNI.
struct Fours;

impl DotFour for Fours {
    #[inline(always)]
    unsafe fn dot(sums: __m256i, activations: __m256i, weights: __m256i) -> __m256i {
        // SAFETY: the trait's contract.
        unsafe { _mm256_dpbusd_epi32(sums, activations, weights) }
    }
}

/// As [`super::plain::product`].
///
/// # Safety
/// The machine has AVX2. The sizes fit, as [`crate::Kernels::int8_product`] checks.
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn product(rows: &[u8], matrix: &Int8Matrix, starts: &[i32], target: Target<'_>) {
    // SAFETY: the caller's contract.
    unsafe { each_block::<Pairs>(rows, matrix, starts, target) };
}

/// As [`super::plain::product`], with VNNI.
///
/// # Safety
/// The machine has AVX2, AVX-512VL and VNNI. The sizes fit.
#[target_feature(enable = "avx2,avx512vl,avx512vnni")]
pub(crate) unsafe fn product_vnni(rows: &[u8], matrix: &Int8Matrix, starts: &[i32], target: Target<'_>) {
    // SAFETY: the caller's contract.
    unsafe { each_block::<Fours>(rows, matrix, starts, target) };
}

/// Whether this machine has VNNI for vectors of 32 bytes.
pub(crate) fn has_vnni() -> bool {
    is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512vl")
}

/// 32 bytes from `from[at]` on.
///
/// # Safety
/// They lie inside the slice, and the caller is compiled for AVX2.
#[inline(always)]
unsafe fn load<T>(from: &[T], at: usize) -> __m256i {
    // SAFETY: the caller's contract.
    unsafe { _mm256_loadu_si256(from.as_ptr().add(at).cast()) }
}

/// Four activations from `from[at]` on.
///
/// # Safety
/// They lie inside the slice.
#[inline(always)]
unsafe fn read_four(from: &[u8], at: usize) -> i32 {
    // SAFETY: the caller's contract.
    i32::from_le_bytes(unsafe { from.as_ptr().add(at).cast::<[u8; 4]>().read() })
}

#[inline(always)]
unsafe fn each_block<D: DotFour>(rows: &[u8], matrix: &Int8Matrix, starts: &[i32], mut target: Target<'_>) {
    let n = rows.len() / matrix.inputs;
    let whole = n - n % ROWS;
    for group in 0..matrix.outputs / 16 {
        // SAFETY: the caller's contract: rows and outputs of each block are inside their slices.
        unsafe {
            for row in (0..whole).step_by(ROWS) {
                block::<D, ROWS>(rows, matrix, starts, row, group, &mut target);
            }
            for row in whole..n {
                block::<D, 1>(rows, matrix, starts, row, group, &mut target);
            }
        }
    }
}

/// Sixteen outputs of `R` rows.
#[inline(always)]
unsafe fn block<D: DotFour, const R: usize>(
    rows: &[u8],
    matrix: &Int8Matrix,
    starts: &[i32],
    row: usize,
    group: usize,
    target: &mut Target<'_>,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let (low, high) = (load(starts, group * 16), load(starts, group * 16 + 8));
        let first = _mm256_permute2x128_si256::<0x20>(low, high);
        let second = _mm256_permute2x128_si256::<0x31>(low, high);
        let mut sums = [[first, second]; R];
        for four in 0..matrix.inputs / 4 {
            let at = group * 16 * matrix.inputs + 64 * four;
            let w = [load(&matrix.weights, at), load(&matrix.weights, at + 32)];
            for (r, sums) in sums.iter_mut().enumerate() {
                let x = _mm256_set1_epi32(read_four(rows, (row + r) * matrix.inputs + 4 * four));
                sums[0] = D::dot(sums[0], x, w[0]);
                sums[1] = D::dot(sums[1], x, w[1]);
            }
        }
        let half = _mm256_set1_epi32(1 << matrix.shift >> 1);
        let shift = _mm_cvtsi32_si128(matrix.shift as i32);
        let multipliers = load(&matrix.multipliers, group * 16);
        for (r, sums) in sums.iter().enumerate() {
            let [a, b] = sums.map(|sum| _mm256_sra_epi32(_mm256_add_epi32(sum, half), shift));
            let value = _mm256_mulhrs_epi16(_mm256_packs_epi32(a, b), multipliers);
            let at = (row + r) * matrix.outputs + group * 16;
            match target {
                Target::Sums(out) => _mm256_storeu_si256(out.as_mut_ptr().add(at).cast(), value),
                Target::Onto(image) => {
                    let place = sixteen::at_mut(image, at);
                    __m256i::of_bytes(place).add_cut(value).store_cut(place);
                }
            }
        }
    }
}

/// As [`super::sixteen::depthwise`].
///
/// # Safety
/// The machine has AVX2. The sizes fit, as [`crate::Kernels::int8_depthwise`] checks.
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn depthwise(grid: Grid, image: &[u8], layer: &Int8Depthwise, starts: &[i16], out: &mut [u8]) {
    let (channels, wide) = (layer.channels, grid.width() + 2);
    // For each square of the padded grid, its channels interleaved with those of the square below: the first and the second
    // halves of eight.
    let mut pairs = [const { MaybeUninit::<[__m256i; 2]>::uninit() }; MOST_PADDED];
    let zero = [_mm256_setzero_si256(); 2];
    for row in pairs[..(grid.height() + 1) * wide].chunks_exact_mut(wide) {
        row[0].write(zero);
        row[wide - 1].write(zero);
    }
    for below in &mut pairs[(grid.height() + 1) * wide..(grid.height() + 2) * wide] {
        below.write(zero);
    }
    for block in 0..channels / 32 {
        // SAFETY: the caller's contract. Every pair of the padded grid is written before it is read: the border above, the
        // others here.
        unsafe {
            let at = |row: usize, column: usize| (row * grid.width() + column) * channels + 32 * block;
            for column in 0..grid.width() {
                let mut above = _mm256_setzero_si256();
                for row in 0..=grid.height() {
                    let here = if row < grid.height() { load(image, at(row, column)) } else { _mm256_setzero_si256() };
                    pairs[row * wide + column + 1]
                        .write([_mm256_unpacklo_epi8(above, here), _mm256_unpackhi_epi8(above, here)]);
                    above = here;
                }
            }
            let ordered = |values: &[i16]| {
                let (a, b) = (load(values, 32 * block), load(values, 32 * block + 16));
                [_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b)]
            };
            let (start, multipliers) = (ordered(starts), ordered(&layer.multipliers));
            for row in 0..grid.height() {
                for column in 0..grid.width() {
                    let mut sums = [_mm256_setzero_si256(); 2];
                    for pair in 0..TAP_PAIRS {
                        // The pairs of a row begin with the row above it.
                        let place = (row + pair / 3 * 2) * wide + column + pair % 3;
                        for half in 0..2 {
                            let w = load(&layer.weights, (block * TAP_PAIRS + pair) * 64 + 32 * half);
                            sums[half] = _mm256_add_epi16(
                                sums[half],
                                _mm256_maddubs_epi16(pairs[place].assume_init_ref()[half], w),
                            );
                        }
                    }
                    let value = |half: usize| {
                        _mm256_mulhrs_epi16(_mm256_adds_epi16(sums[half], start[half]), multipliers[half])
                    };
                    let value = _mm256_packus_epi16(value(0), value(1));
                    let value = _mm256_min_epu8(value, _mm256_set1_epi8(TOP as i8));
                    _mm256_storeu_si256(out.as_mut_ptr().add(at(row, column)).cast(), value);
                }
            }
        }
    }
}
