//! Winograd convolutions with products in bf16 on AVX-512, for processors without matrix registers.
//!
//! `vdpbf16ps` multiplies 32 pairs of bf16 and adds them to sixteen sums in f32. If a processor runs it as fast as a
//! multiply-add in f32, it computes twice as many products. Winograd's transforms still pay off, because they need only
//! a third of the products. Images stay in f32. Their tiles and the transformed weights are rounded. The transforms
//! enlarge the rounding error about six times, compared with a direct convolution.

use super::pair_product::PairProduct;
use super::points::{Bf16PointConvolution, Bf16Tiles};
use super::tile_sinks::RoundingPlain;
#[cfg(target_arch = "x86_64")]
use super::tile_sinks::RoundingVectors;
use crate::lanes::Plain;
use crate::winograd::{POINTS, input};
use crate::{LANES, Transformed};

/// Access to the vector products in bf16. It exists only if the machine has them.
#[derive(Copy, Clone, Debug)]
pub struct Bf16Vectors {
    /// Whether the instructions are used. Only tests work without them.
    vectors: bool,
}

impl Bf16Vectors {
    /// The kernels, if this machine has AVX-512 with bf16.
    pub fn request() -> Option<Bf16Vectors> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bf16") {
            return Some(Bf16Vectors { vectors: true });
        }
        None
    }

    /// Whether this machine's vectors compute more products per second in bf16 than in f32. AMD's processors compute
    /// twice as many, Intel's the same number.
    pub fn outruns_f32() -> bool {
        #[cfg(target_arch = "x86_64")]
        if Self::request().is_some() {
            let maker = std::arch::x86_64::__cpuid(0);
            return [maker.ebx, maker.edx, maker.ecx].map(u32::to_le_bytes).concat() == *b"AuthenticAMD";
        }
        false
    }

    /// The same arithmetic in safe code, on every machine. It is slow and meant for tests. It rounds sums at different
    /// steps.
    pub fn without_vectors() -> Bf16Vectors {
        Bf16Vectors { vectors: false }
    }

    /// Writes the tiles of an image (`[square][channel]`) to place `index` of `tiles`, rounded. This is the first step
    /// of a convolution.
    ///
    /// # Panics
    ///
    /// If the image's size differs from that of `tiles`, or `index` is out of range.
    pub fn transform_input(self, image: &[f32], index: usize, tiles: &mut Bf16Tiles) {
        let (grid, channels, stride) = (tiles.grid(), tiles.channels(), tiles.point_stride());
        let first = tiles.first_tile(index, image.len());
        let out = tiles.values_mut();
        #[cfg(target_arch = "x86_64")]
        if self.vectors {
            // SAFETY: `vectors` is true only where AVX-512 and its bf16 are there; the sizes were checked above.
            unsafe { RoundingVectors::transform(grid, channels, image, out, first, stride) };
            return;
        }
        // SAFETY: plain lanes need no instructions, and the sizes were checked above.
        unsafe { input::transform::<Plain, _>(grid, channels, image, RoundingPlain(out), first, stride) };
    }

    /// Computes the products of a convolution for all images of `tiles`. This is the second step of a convolution. The
    /// last step is [`crate::Kernels::transform_output`].
    ///
    /// # Panics
    ///
    /// If `tiles` does not have the convolution's input channels, or `products` does not have the same images and the
    /// convolution's output channels.
    pub fn multiply(self, convolution: &Bf16PointConvolution, tiles: &Bf16Tiles, products: &mut Transformed) {
        let (grid, images, channels) = (tiles.grid(), tiles.images(), tiles.channels());
        assert_eq!(channels, convolution.inputs(), "channels in");
        assert_eq!(products.channels(), convolution.outputs(), "channels out");
        assert_eq!((products.grid(), products.images()), (grid, images), "images");
        let (from, to) = (tiles.point_stride(), products.point_stride());
        for point in 0..POINTS {
            let product = PairProduct {
                rows: &tiles.values()[point * from..],
                n_rows: images * grid.tiles(),
                weights: convolution.point(point),
                inputs: channels,
                panels: convolution.outputs() / LANES,
                next: convolution.point(point + 1),
            };
            let out = &mut products.values_mut()[point * to..];
            assert!(product.fits(out), "rows and outputs of a product fit its matrix");
            #[cfg(target_arch = "x86_64")]
            if self.vectors {
                // SAFETY: `vectors` is true only where AVX-512 and its bf16 are there; the product fits.
                unsafe { product.run(out) };
                continue;
            }
            product.run_plain(out);
        }
    }
}
