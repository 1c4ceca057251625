//! Compiles every kernel once for each level.

/// A module with all kernels over the vector `$lanes`, compiled for `$features`. Products use blocks of `$rows` rows
/// and `$panels` panels; outer products use blocks of `$inputs` inputs and `$panels` panels.
macro_rules! level {
    ($name:ident, $lanes:ty, [$($feature:literal)?], $rows:literal, $panels:literal, $inputs:literal) => {
        pub(super) mod $name {
            use crate::{Grid, Rows};
            use crate::product::{self, Product};
            use crate::outer::{self, Outer};
            use crate::pointwise;
            use crate::winograd::{input, output, spread, weights};

            $(#[target_feature(enable = $feature)])?
            pub(in crate::kernels) unsafe fn product(product: &Product<'_>, out: &mut [f32]) {
                // SAFETY: the caller's contract, which is this function's.
                unsafe { product::run::<$lanes, $rows, $panels>(product, out) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(in crate::kernels) unsafe fn transform_input(
                grid: Grid,
                channels: usize,
                image: &[f32],
                out: &mut [f32],
                first: usize,
                stride: usize,
            ) {
                // SAFETY: the caller's contract, which is this function's.
                unsafe { input::transform::<$lanes, _>(grid, channels, image, out, first, stride) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(in crate::kernels) unsafe fn transform_output<const ADD: bool, const POOL: bool>(
                output: &output::Output<'_>,
                image: &mut [f32],
                pooled: &mut [f32],
            ) {
                // SAFETY: the caller's contract, which is this function's.
                unsafe { output::transform::<$lanes, ADD, POOL>(output, image, pooled) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(in crate::kernels) unsafe fn pool(squares: &Rows<'_>, channels: usize, out: &mut [f32]) {
                // SAFETY: the caller's contract, which is this function's.
                unsafe { pointwise::pool::<$lanes>(squares, channels, out) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(in crate::kernels) unsafe fn add_at_maxima(
                active: &[f32],
                by_channel: [&[f32]; 2],
                shape: [usize; 2],
                image: &mut [f32],
            ) {
                pointwise::add_at_maxima(active, by_channel, shape, image);
            }

            $(#[target_feature(enable = $feature)])?
            pub(in crate::kernels) unsafe fn dot(a: &[f32], b: &[f32]) -> f32 {
                // SAFETY: the caller's contract, which is this function's.
                unsafe { pointwise::dot::<$lanes>(a, b) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(in crate::kernels) unsafe fn outer(outer: &Outer<'_>, sums: &mut [f32]) {
                // SAFETY: the caller's contract, which is this function's.
                unsafe { outer::run::<$lanes, $inputs, $panels>(outer, sums) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(in crate::kernels) unsafe fn spread(
                grid: Grid,
                channels: usize,
                image: &[f32],
                out: &mut [f32],
                first: usize,
                stride: usize,
            ) {
                // SAFETY: the caller's contract, which is this function's.
                unsafe { spread::transform::<$lanes>(grid, channels, image, out, first, stride) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(in crate::kernels) unsafe fn transform_gradient<const ADD: bool>(
                output: &output::Output<'_>,
                active: &[f32],
                image: &mut [f32],
                sums: &mut [f32],
            ) {
                // SAFETY: the caller's contract, which is this function's.
                unsafe { output::gated::<$lanes, ADD>(output, active, image, sums) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(in crate::kernels) unsafe fn pack(taps: &weights::Taps<'_>, padded: usize, points: &mut [f32]) {
                // SAFETY: the caller's contract, which is this function's.
                unsafe { weights::pack::<$lanes>(taps, padded, points) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(in crate::kernels) unsafe fn unpack(sums: &[f32], inputs: usize, outputs: usize, taps: &mut [f32]) {
                // SAFETY: the caller's contract, which is this function's.
                unsafe { weights::unpack::<$lanes>(sums, inputs, outputs, taps) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(in crate::kernels) unsafe fn gate(image: &mut [f32], active: &[f32], sums: &mut [f32]) {
                // SAFETY: the caller's contract, which is this function's.
                unsafe { pointwise::gate::<$lanes>(image, active, sums) }
            }
        }
    };
}

// Block sizes that fill the registers with sums: 18 of 32 with AVX-512, 12 of 16 with AVX2. Nine rows are the tiles of
// a 9×9 image.
#[cfg(target_arch = "x86_64")]
level!(avx512, crate::lanes::avx512::Avx512, ["avx512f"], 9, 2, 8);
#[cfg(target_arch = "x86_64")]
level!(avx2, crate::lanes::avx2::Avx2, ["avx2,fma"], 6, 1, 4);
level!(plain, crate::lanes::Plain, [], 3, 1, 4);

/// Calls the kernel of the level in `$simd`. The caller has checked the sizes; [`super::Kernels`] exists only for
/// levels that the machine has.
macro_rules! dispatch {
    ($simd:expr, $kernel:ident $(::<$($generic:literal),*>)? ($($argument:expr),*)) => {
        match $simd {
            // SAFETY: the machine has the level, or `Kernels` could not have been made; the sizes were checked above.
            #[cfg(target_arch = "x86_64")]
            crate::Simd::Avx512 => unsafe {
                crate::kernels::levels::avx512::$kernel $(::<$($generic),*>)? ($($argument),*)
            },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            crate::Simd::Avx2 => unsafe {
                crate::kernels::levels::avx2::$kernel $(::<$($generic),*>)? ($($argument),*)
            },
            // SAFETY: as above; the plain vectors also check every access.
            _ => unsafe {
                crate::kernels::levels::plain::$kernel $(::<$($generic),*>)? ($($argument),*)
            },
        }
    };
}
pub(super) use dispatch;
