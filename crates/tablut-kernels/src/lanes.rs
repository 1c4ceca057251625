//! Vectors of f32. Every kernel is written once with them, for all levels.

/// Implements [`Lanes`] for a vector of `$width` numbers. Every body is sound for the same two reasons, which are the trait's
/// contract. The caller runs on a machine with the vector's instructions inside a function compiled for them, and it keeps
/// `at` inside the slice. Debug builds check the latter.
macro_rules! lanes {
    (
        impl[$($inner:ident)?] $vector:ty, $width:expr;
        $(fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? = $body:expr;)+
    ) => {
        impl$(<$inner: Lanes>)? Lanes for $vector {
            const WIDTH: usize = $width;
            $(
                #[inline(always)]
                #[allow(unused_unsafe, reason = "some bodies are safe code")]
                unsafe fn $name($($argument: $type),*) $(-> $result)? {
                    // SAFETY: the trait's contract.
                    unsafe { $body }
                }
            )+
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod simd128;

/// The number of f32 in one vector of the kernels. The number of channels is a multiple of it.
pub const LANES: usize = 16;

/// A vector of [`LANES`] f32, or a register that is a part of one.
///
/// # Safety
/// Call every method only inside a function compiled for the vector's instructions, on a machine that has them. For
/// `load`, `store` and `splat_from`, `at` (and for vectors the places after it) must also lie inside the slice; only
/// [`Plain`] checks that.
#[allow(clippy::missing_safety_doc, reason = "stated once, on the trait")]
pub(crate) trait Lanes: Copy {
    /// The number of f32, which divides [`LANES`].
    const WIDTH: usize;
    unsafe fn zero() -> Self;
    unsafe fn splat(value: f32) -> Self;
    unsafe fn splat_from(from: &[f32], at: usize) -> Self;
    unsafe fn load(from: &[f32], at: usize) -> Self;
    unsafe fn store(self, into: &mut [f32], at: usize);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    /// `self` where it is above `other`, `other` elsewhere, also for two zeros and NaNs.
    unsafe fn max(self, other: Self) -> Self;
    /// `self` where `gate` is above zero, zero elsewhere.
    unsafe fn where_positive(self, gate: Self) -> Self;
    /// `self * factor + term`, rounded once if the machine can.
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self;
}

/// Two vectors as one of twice the width.
#[derive(Copy, Clone)]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")), expect(dead_code))]
pub(crate) struct Twice<V>(V, V);

lanes! {
    impl[V] Twice<V>, 2 * V::WIDTH;
    fn zero() -> Self = Twice(V::zero(), V::zero());
    fn splat(value: f32) -> Self = Twice(V::splat(value), V::splat(value));
    fn splat_from(from: &[f32], at: usize) -> Self = Twice(V::splat_from(from, at), V::splat_from(from, at));
    fn load(from: &[f32], at: usize) -> Self = Twice(V::load(from, at), V::load(from, at + V::WIDTH));
    fn store(self: Self, into: &mut [f32], at: usize) = {
        self.0.store(into, at);
        self.1.store(into, at + V::WIDTH);
    };
    fn add(self: Self, other: Self) -> Self = Twice(self.0.add(other.0), self.1.add(other.1));
    fn sub(self: Self, other: Self) -> Self = Twice(self.0.sub(other.0), self.1.sub(other.1));
    fn max(self: Self, other: Self) -> Self = Twice(self.0.max(other.0), self.1.max(other.1));
    fn where_positive(self: Self, gate: Self) -> Self =
        Twice(self.0.where_positive(gate.0), self.1.where_positive(gate.1));
    fn mul_add(self: Self, factor: Self, term: Self) -> Self =
        Twice(self.0.mul_add(factor.0, term.0), self.1.mul_add(factor.1, term.1));
}

/// Sixteen f32 in safe Rust; every access is checked.
#[derive(Copy, Clone)]
pub(crate) struct Plain([f32; LANES]);

impl Plain {
    #[inline(always)]
    fn zip(self, other: Plain, f: impl Fn(f32, f32) -> f32) -> Plain {
        let mut lanes = self.0;
        for (a, b) in lanes.iter_mut().zip(other.0) {
            *a = f(*a, b);
        }
        Plain(lanes)
    }
}

lanes! {
    impl[] Plain, LANES;
    fn zero() -> Plain = Plain([0.0; LANES]);
    fn splat(value: f32) -> Plain = Plain([value; LANES]);
    fn splat_from(from: &[f32], at: usize) -> Plain = Plain([from[at]; LANES]);
    fn load(from: &[f32], at: usize) -> Plain = {
        let mut lanes = [0.0; LANES];
        lanes.copy_from_slice(&from[at..at + LANES]);
        Plain(lanes)
    };
    fn store(self: Self, into: &mut [f32], at: usize) = into[at..at + LANES].copy_from_slice(&self.0);
    fn add(self: Self, other: Plain) -> Plain = self.zip(other, |a, b| a + b);
    fn sub(self: Self, other: Plain) -> Plain = self.zip(other, |a, b| a - b);
    fn max(self: Self, other: Plain) -> Plain = self.zip(other, |a, b| if a > b { a } else { b });
    fn where_positive(self: Self, gate: Plain) -> Plain = self.zip(gate, |a, b| if b > 0.0 { a } else { 0.0 });
    // Without the instruction, `f32::mul_add` is a slow library call.
    fn mul_add(self: Self, factor: Plain, term: Plain) -> Plain = self.zip(factor, |a, b| a * b).zip(term, |a, b| a + b);
}
