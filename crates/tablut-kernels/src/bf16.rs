//! Convolutions in bf16, with sums in f32. This file has direct convolutions on Intel's matrix registers (AMX), and
//! `vectors.rs` has Winograd convolutions on AVX-512.
//!
//! A tile product does sixteen times the multiplications of an AVX-512 instruction. So Winograd's transforms, which
//! save multiplications, would not pay off. Inputs and weights are rounded to bf16 (eight bits of precision). Sums,
//! biases and the residual trunk stay in f32. Results are reproducible to the bit, as in the rest of the crate, but
//! only machines with AMX have this mode.

#[cfg(target_arch = "x86_64")]
mod amx;
#[cfg(target_arch = "x86_64")]
mod blocks;
mod channels_first;
mod gradient;
mod images;
mod pair_product;
mod plain;
mod points;
#[cfg(target_arch = "x86_64")]
mod sums;
mod tile_sinks;
mod vectors;
mod weight_gradient;
mod weights;

pub use gradient::Bf16GradientEpilogue;
pub use images::{BF16_LANES, Bf16Epilogue, Bf16Images};
pub use points::{Bf16PointConvolution, Bf16Tiles};
pub use vectors::Bf16Vectors;
pub use weight_gradient::Bf16WeightGradient;
pub use weights::Bf16Convolution;

/// Access to the matrix registers. It exists only if the machine has them and the system allows their use.
#[derive(Copy, Clone, Debug)]
pub struct Bf16Kernels {
    /// Whether the registers are used. Only tests work without them.
    registers: bool,
}

impl Bf16Kernels {
    /// The kernels, if this machine has AMX with bf16 and the system lets this process use it.
    pub fn request() -> Option<Bf16Kernels> {
        #[cfg(target_arch = "x86_64")]
        if amx::request() {
            return Some(Bf16Kernels { registers: true });
        }
        None
    }

    /// The same arithmetic in safe code, on every machine. It is hundreds of times slower and meant for tests. It adds
    /// in a different order.
    pub fn without_registers() -> Bf16Kernels {
        Bf16Kernels { registers: false }
    }

    /// A convolution of the first `n_images` of `from`, with the operations that follow it.
    ///
    /// # Panics
    ///
    /// If sizes do not fit the convolution or each other.
    pub fn convolve(
        self,
        convolution: &Bf16Convolution,
        from: &Bf16Images,
        n_images: usize,
        epilogue: Bf16Epilogue<'_>,
    ) {
        let width = convolution.outputs();
        let squares = from.grid().squares();
        assert_eq!(convolution.inputs(), from.channels(), "channels in");
        assert!(n_images <= from.n_images(), "images");
        assert!([width, n_images * width].contains(&epilogue.bias.len()), "size of a bias");
        if let Some(full) = &epilogue.full {
            assert!(full.len() >= n_images * squares * width, "room for the result");
        }
        assert!(!epilogue.residual || epilogue.full.is_some(), "a residual is added in f32");
        if let Some(rounded) = &epilogue.rounded {
            assert_eq!((rounded.grid(), rounded.channels()), (from.grid(), width), "shape of the rounded result");
            assert!(n_images <= rounded.n_images(), "room for the rounded result");
        }
        if let Some(pooled) = &epilogue.pooled {
            assert!(pooled.len() >= n_images * 2 * width, "room for the pooled values");
        }
        #[cfg(target_arch = "x86_64")]
        if self.registers {
            let mut finish = sums::Forward::new(epilogue, from.layout(), width);
            // SAFETY: `registers` is true only where AMX, AVX-512 and its bf16 are there; the sizes were checked above.
            unsafe { blocks::run(convolution, from, n_images, &mut finish) };
            return;
        }
        plain::convolve(convolution, from, n_images, epilogue);
    }

    /// Writes the first of some images from `[image][square][channel]`, rounded.
    ///
    /// # Panics
    ///
    /// If `values` are not whole images, or are more than these.
    pub fn set_images(self, images: &mut Bf16Images, values: &[f32]) {
        #[cfg(target_arch = "x86_64")]
        if self.registers {
            // SAFETY: `registers` is true only where AVX-512 is there.
            unsafe { on_vectors(images, values) };
            return;
        }
        images.set_images(values);
    }
}

/// The same safe code, compiled for AVX-512.
///
/// # Safety
///
/// The machine has AVX-512F.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn on_vectors(images: &mut Bf16Images, values: &[f32]) {
    images.set_images(values);
}
