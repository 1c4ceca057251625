//! Transforms weights to points, and gradients at points back to weights, sixteen outputs at a time.

use super::{POINTS, SPAN};
use crate::LANES;
use crate::aligned::volume;
use crate::lanes::Lanes;

/// Taps of a kernel.
pub(crate) const TAPS: usize = 9;

/// The place of the taps of a kernel in `weights`. The taps from input `i` to output `o` start at
/// `o * output + i * input`.
#[derive(Copy, Clone)]
pub(crate) struct Taps<'a> {
    pub weights: &'a [f32],
    pub inputs: usize,
    pub outputs: usize,
    pub output: usize,
    pub input: usize,
    /// Whether the taps are read from the last to the first.
    pub flipped: bool,
}

/// Writes `G g Gᵀ` of every kernel to `points`, in the packed form of [`crate::Convolution`] with `padded` inputs.
///
/// # Safety
///
/// The contract of [`Lanes`]; `points` holds 25 times `outputs * padded` values; `inputs` is at most `padded`;
/// `outputs` is a multiple of sixteen.
#[inline(always)]
pub(crate) unsafe fn pack<V: Lanes>(taps: &Taps<'_>, padded: usize, points: &mut [f32]) {
    let size = taps.outputs * padded;
    let mut gathered = [[0.0; LANES]; TAPS];
    for first in (0..taps.outputs).step_by(LANES) {
        for input in 0..taps.inputs {
            for lane in 0..LANES {
                let at = (first + lane) * taps.output + input * taps.input;
                let kernel = &taps.weights[at..at + TAPS];
                for (tap, line) in gathered.iter_mut().enumerate() {
                    line[lane] = if taps.flipped { kernel[TAPS - 1 - tap] } else { kernel[tap] };
                }
            }
            // SAFETY: the caller's contract.
            unsafe {
                let mut half = [[V::zero(); 3]; SPAN];
                for x in 0..3 {
                    let column = [V::load(&gathered[x], 0), V::load(&gathered[3 + x], 0), V::load(&gathered[6 + x], 0)];
                    for (line, value) in half.iter_mut().zip(to_points(column)) {
                        line[x] = value;
                    }
                }
                let at = (first / LANES * padded + input) * LANES;
                for (i, line) in half.into_iter().enumerate() {
                    for (j, value) in to_points(line).into_iter().enumerate() {
                        value.store(points, (i * SPAN + j) * size + at);
                    }
                }
            }
        }
    }
}

/// Writes `Gᵀ m G` of the sums at every point, `[point][input][output]`, to `taps`, `[input][tap][output]`.
///
/// # Safety
///
/// The contract of [`Lanes`]; `outputs` is a multiple of sixteen; `sums` holds 25 times and `taps` 9 times
/// `inputs * outputs` values.
#[inline(always)]
pub(crate) unsafe fn unpack<V: Lanes>(sums: &[f32], inputs: usize, outputs: usize, taps: &mut [f32]) {
    let size = inputs * outputs;
    for input in 0..inputs {
        for output in (0..outputs).step_by(LANES) {
            // SAFETY: the caller's contract.
            unsafe {
                let mut half = [[V::zero(); SPAN]; 3];
                for j in 0..SPAN {
                    let mut column = [V::zero(); SPAN];
                    for (i, value) in column.iter_mut().enumerate() {
                        *value = V::load(sums, (i * SPAN + j) * size + input * outputs + output);
                    }
                    for (line, value) in half.iter_mut().zip(to_taps(column)) {
                        line[j] = value;
                    }
                }
                for (y, line) in half.into_iter().enumerate() {
                    for (x, value) in to_taps(line).into_iter().enumerate() {
                        value.store(taps, (input * TAPS + y * 3 + x) * outputs + output);
                    }
                }
            }
        }
    }
}

/// `G g` of one line.
#[inline(always)]
unsafe fn to_points<V: Lanes>(g: [V; 3]) -> [V; SPAN] {
    // SAFETY: the caller's contract.
    unsafe {
        let (zero, half, third, sixth) = (V::zero(), V::splat(0.5), V::splat(1.0 / 3.0), V::splat(1.0 / 6.0));
        let even = g[0].add(g[2]);
        [
            g[0].mul_add(half, zero),
            even.add(g[1]).mul_add(V::splat(-0.5), zero),
            g[1].sub(even).mul_add(sixth, zero),
            g[2].mul_add(V::splat(4.0), g[0]).mul_add(sixth, g[1].mul_add(third, zero)),
            g[2],
        ]
    }
}

/// `Gᵀ m` of one line.
#[inline(always)]
unsafe fn to_taps<V: Lanes>(m: [V; SPAN]) -> [V; 3] {
    // SAFETY: the caller's contract.
    unsafe {
        let (half, sixth) = (V::splat(0.5), V::splat(1.0 / 6.0));
        let one = m[1].mul_add(V::splat(-0.5), V::zero());
        [
            m[0].mul_add(half, m[3].sub(m[2]).mul_add(sixth, one)),
            m[3].mul_add(V::splat(2.0), m[2]).mul_add(sixth, one),
            m[3].mul_add(V::splat(4.0), V::zero()).sub(m[2]).mul_add(sixth, one).add(m[4]),
        ]
    }
}

/// The number of sums at all points.
fn size_of_sums(inputs: usize, outputs: usize) -> usize {
    assert!(
        inputs.is_multiple_of(LANES) && outputs.is_multiple_of(LANES),
        "the number of channels is a multiple of 16"
    );
    volume([POINTS, inputs, outputs])
}

/// The sums of a convolution's weight gradient at every point: `[point][input][output]`.
pub struct PointSums {
    inputs: usize,
    outputs: usize,
    values: crate::Aligned,
}

impl PointSums {
    /// Memory for at most `inputs` and `outputs` channels. Values are unspecified until written.
    ///
    /// # Panics
    ///
    /// If the channels are not multiples of sixteen, or the size overflows the address space.
    pub fn new(inputs: usize, outputs: usize) -> PointSums {
        PointSums { inputs, outputs, values: crate::Aligned::zeroed(size_of_sums(inputs, outputs)) }
    }

    /// Changes the size to `inputs` and `outputs` channels, without allocating.
    ///
    /// # Panics
    ///
    /// If the channels are not multiples of sixteen, or the new size exceeds the allocated memory.
    pub fn reshape(&mut self, inputs: usize, outputs: usize) {
        assert!(size_of_sums(inputs, outputs) <= self.values.len(), "room for the sums");
        (self.inputs, self.outputs) = (inputs, outputs);
    }

    /// Input channels.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Output channels.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    pub(crate) fn values(&self) -> &[f32] {
        &self.values
    }

    pub(crate) fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }
}
