//! Rounds images to bf16.

use super::Bf16Kernels;
use super::images::Bf16Images;

impl Bf16Kernels {
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
