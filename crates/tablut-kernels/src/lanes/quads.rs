//! Sixteen f32 in four registers of four, as NEON and WebAssembly have them.

use super::{LANES, Lanes};

/// A register of four f32.
///
/// # Safety
///
/// As for [`Lanes`]: the machine has the instructions, and for `load` and `store` the pointer is valid for four f32.
#[allow(clippy::missing_safety_doc, reason = "stated once, on the trait")]
pub(crate) trait Quad: Copy {
    unsafe fn splat(value: f32) -> Self;
    unsafe fn load(from: *const f32) -> Self;
    unsafe fn store(self, into: *mut f32);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    /// `self` where it is above `other`, `other` elsewhere: for two zeros or a NaN the result of x86's instruction.
    unsafe fn max(self, other: Self) -> Self;
    /// `self` where `gate` is above zero, zero elsewhere.
    unsafe fn where_positive(self, gate: Self) -> Self;
    /// `self * factor + term`, rounded once if the instructions can.
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self;
}

/// Four registers: lanes 0 to 3, 4 to 7, 8 to 11 and 12 to 15.
#[derive(Copy, Clone)]
pub(crate) struct Quads<Q>(Q, Q, Q, Q);

// Every block below is sound for the same two reasons, which are the trait's contract. The machine has the
// instructions, and the caller keeps `at` inside the slice. Debug builds check the latter.
impl<Q: Quad> Lanes for Quads<Q> {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the trait's contract.
        unsafe { Self::splat(0.0) }
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the trait's contract.
        let quad = unsafe { Q::splat(value) };
        Quads(quad, quad, quad, quad)
    }

    #[inline(always)]
    unsafe fn splat_from(from: &[f32], at: usize) -> Self {
        debug_assert!(at < from.len());
        // SAFETY: the trait's contract: `at` lies inside `from`.
        unsafe { Self::splat(*from.get_unchecked(at)) }
    }

    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Self {
        debug_assert!(at + LANES <= from.len());
        // SAFETY: the trait's contract: sixteen values from `at` lie inside `from`.
        unsafe {
            let pointer = from.as_ptr().add(at);
            Quads(Q::load(pointer), Q::load(pointer.add(4)), Q::load(pointer.add(8)), Q::load(pointer.add(12)))
        }
    }

    #[inline(always)]
    unsafe fn store(self, into: &mut [f32], at: usize) {
        debug_assert!(at + LANES <= into.len());
        // SAFETY: the trait's contract: sixteen values from `at` lie inside `into`.
        unsafe {
            let pointer = into.as_mut_ptr().add(at);
            self.0.store(pointer);
            self.1.store(pointer.add(4));
            self.2.store(pointer.add(8));
            self.3.store(pointer.add(12));
        }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        unsafe { Quads(self.0.add(other.0), self.1.add(other.1), self.2.add(other.2), self.3.add(other.3)) }
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        unsafe { Quads(self.0.sub(other.0), self.1.sub(other.1), self.2.sub(other.2), self.3.sub(other.3)) }
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        unsafe { Quads(self.0.max(other.0), self.1.max(other.1), self.2.max(other.2), self.3.max(other.3)) }
    }

    #[inline(always)]
    unsafe fn where_positive(self, gate: Self) -> Self {
        // SAFETY: the trait's contract.
        unsafe {
            Quads(
                self.0.where_positive(gate.0),
                self.1.where_positive(gate.1),
                self.2.where_positive(gate.2),
                self.3.where_positive(gate.3),
            )
        }
    }

    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
        // SAFETY: the trait's contract.
        unsafe {
            Quads(
                self.0.mul_add(factor.0, term.0),
                self.1.mul_add(factor.1, term.1),
                self.2.mul_add(factor.2, term.2),
                self.3.mul_add(factor.3, term.3),
            )
        }
    }

    /// Stable Rust has no such instruction here.
    #[inline(always)]
    unsafe fn prefetch(_from: &[f32], _at: usize) {}
}
