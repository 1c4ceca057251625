//! Compiles every kernel once for each level.

/// One kernel: a function compiled for `$feature` that passes its arguments on to `$call`.
macro_rules! kernel {
    (
        [$($feature:literal)?]
        $name:ident($($argument:ident: $type:ty),+) $(-> $result:ty)? = $($call:tt)+
    ) => {
        $(#[target_feature(enable = $feature)])?
        #[allow(unused_unsafe, reason = "some kernels are safe code")]
        pub(in crate::kernels) unsafe fn $name($($argument: $type),+) $(-> $result)? {
            // SAFETY: the caller's contract, which is this function's.
            unsafe { $($call)+ ($($argument),+) }
        }
    };
}

/// A module with all kernels over the vectors `$lanes` of f32 and `$sixteen` of integers, compiled for `$features`. Products use blocks of `$rows` rows
/// and `$panels` panels; outer products use blocks of `$inputs` inputs and `$panels` panels.
macro_rules! level {
    ($name:ident, $lanes:ty, $sixteen:ty, [$($feature:literal)?], $rows:literal, $panels:literal, $inputs:literal) => {
        pub(super) mod $name {
            use crate::int8::sixteen::{self, GridLines, Limits};
            use crate::{Grid, Rows};
            use crate::product::{self, Product};
            use crate::depthwise;
            use crate::outer::{self, Outer};
            use crate::pointwise;

            kernel!([$($feature)?] product(product: &Product<'_>, out: &mut [f32])
                = product::run::<$lanes, $rows, $panels>);

            kernel!([$($feature)?] depthwise(
                grid: Grid, image: &[f32], layer: [&[f32]; 2], onto: bool, out: &mut [f32]
            ) = depthwise::convolve::<$lanes>);

            kernel!([$($feature)?] depthwise_gradient(
                grid: Grid, image: &[f32], gradient: &[f32], sums: &mut [f32]
            ) = depthwise::gradient::<$lanes>);

            kernel!([$($feature)?] pool(squares: &Rows<'_>, channels: usize, out: &mut [f32])
                = pointwise::pool::<$lanes>);

            kernel!([$($feature)?] add_at_maxima(
                active: &[f32], by_channel: [&[f32]; 2], shape: [usize; 2], image: &mut [f32]
            ) = pointwise::add_at_maxima);

            kernel!([$($feature)?] outer(outer: &Outer<'_>, sums: &mut [f32])
                = outer::run::<$lanes, $inputs, $panels>);

            kernel!([$($feature)?] gate(image: &mut [f32], active: &[f32], top: f32, sums: &mut [f32])
                = pointwise::gate::<$lanes>);

            kernel!([$($feature)?] int8_depthwise(
                grid: Grid, image: &[u8], layer: [&[i16]; 2], starts: &[i16], out: &mut [u8]
            ) = sixteen::depthwise::<$sixteen>);

            kernel!([$($feature)?] int8_clip(sums: &[i16], shift: u32, out: &mut [u8])
                = sixteen::clip::<$sixteen>);

            kernel!([$($feature)?] int8_pool(image: &[u8], sums: &mut [i16], maxima: &mut [i16])
                = sixteen::pool::<$sixteen>);

            kernel!([$($feature)?] int8_line_sums(lines: GridLines<'_>, bias: &[i16], out: &mut [i16])
                = sixteen::line_sums::<$sixteen>);

            kernel!([$($feature)?] int8_line_pairs(
                lines: GridLines<'_>, own: &[i16], limits: &Limits<'_>, out: &mut [i16], rest: &mut [u8]
            ) = sixteen::line_pairs::<$sixteen>);
        }
    };
}

// Block sizes that fill the registers with sums: 18 of 32 with AVX-512, 12 of 16 with AVX2, 24 of 32 with NEON. Nine
// rows are the squares of a line of the board.
#[cfg(target_arch = "x86_64")]
level!(avx512, crate::lanes::avx512::Avx512, std::arch::x86_64::__m256i, ["avx512f"], 9, 2, 8);
#[cfg(target_arch = "x86_64")]
level!(avx2, crate::lanes::avx2::Avx2, std::arch::x86_64::__m256i, ["avx2,fma"], 6, 1, 4);
#[cfg(target_arch = "aarch64")]
level!(neon, crate::lanes::neon::Neon, crate::int8::neon::Wide, ["neon"], 6, 1, 6);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
level!(simd128, crate::lanes::simd128::Simd128, crate::int8::simd128::Wide, ["simd128"], 3, 1, 3);
level!(plain, crate::lanes::Plain, crate::int8::sixteen::Plain, [], 3, 1, 4);

/// Calls the kernel of the level in `$simd`. The caller has checked the sizes; [`super::Kernels`] exists only for
/// levels that the machine has.
macro_rules! dispatch {
    ($simd:expr, $kernel:ident($($argument:expr),*)) => {
        match $simd {
            // SAFETY: the machine has the level, or `Kernels` could not have been made; the sizes were checked above.
            #[cfg(target_arch = "x86_64")]
            crate::Simd::Avx512 => unsafe { crate::kernels::levels::avx512::$kernel($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            crate::Simd::Avx2 => unsafe { crate::kernels::levels::avx2::$kernel($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "aarch64")]
            crate::Simd::Neon => unsafe { crate::kernels::levels::neon::$kernel($($argument),*) },
            // SAFETY: as above.
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            crate::Simd::Simd128 => unsafe { crate::kernels::levels::simd128::$kernel($($argument),*) },
            // SAFETY: as above; the plain vectors also check every access.
            _ => unsafe { crate::kernels::levels::plain::$kernel($($argument),*) },
        }
    };
}
pub(super) use dispatch;
