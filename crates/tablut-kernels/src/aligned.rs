//! A buffer of numbers that starts on a cache line.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// One cache line. It is also one AVX-512 vector.
#[derive(Copy, Clone, Debug)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// The number types of buffers. Other crates cannot name the trait, so these are all. Every bit pattern is a valid value, zero bits are zero, and a line holds a whole number
/// of them.
pub trait Element: Copy {}
impl Element for f32 {}
impl Element for i16 {}
impl Element for i8 {}
impl Element for u8 {}

/// A slice of numbers, aligned to 64 bytes so that no vector straddles two cache lines.
#[derive(Clone, Debug)]
pub struct Aligned<T: Element = f32> {
    lines: Vec<Line>,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Element> Aligned<T> {
    /// A buffer of `len` zeros.
    ///
    /// # Panics
    /// If the size overflows the address space.
    pub fn zeroed(len: usize) -> Aligned<T> {
        let lines = volume([len, size_of::<T>()]).div_ceil(size_of::<Line>());
        Aligned { lines: vec![Line([0; 64]); lines], len, element: PhantomData }
    }
}

impl<T: Element> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the lines are initialised bytes in a row, aligned beyond what `T` needs and at least `len` elements
        // long (`zeroed`), and every bit pattern is a `T` (`Element`).
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl<T: Element> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`; the borrow of `self` is exclusive, and every `T` is valid bytes.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

/// The product of the sides of a buffer.
///
/// # Panics
/// If the product overflows `isize`.
pub(crate) fn volume<const N: usize>(sides: [usize; N]) -> usize {
    let volume = sides.into_iter().try_fold(1, usize::checked_mul);
    volume.filter(|volume| isize::try_from(*volume).is_ok()).expect("a size within the address space")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "a size within the address space")]
    fn a_volume_that_overflows_is_refused() {
        // As the squares and channels of a large grid do with addresses of 32 bits.
        let _ = volume([usize::MAX / 4, 8]);
    }

    #[test]
    #[should_panic(expected = "a size within the address space")]
    fn a_length_whose_bytes_overflow_is_refused() {
        let _ = Aligned::<f32>::zeroed((1 << 62) + 16);
    }

    #[test]
    fn a_buffer_has_its_length_and_begins_on_a_cache_line() {
        for len in [0, 1, 15, 16, 17, 1000] {
            let mut buffer = Aligned::<f32>::zeroed(len);
            assert_eq!(buffer.len(), len);
            assert!(buffer.as_ptr().addr().is_multiple_of(64));
            buffer.fill(2.0);
            assert_eq!(buffer.iter().sum::<f32>(), 2.0 * len as f32);
            assert_eq!(Aligned::<i16>::zeroed(len).len(), len);
        }
    }
}
