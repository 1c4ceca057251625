//! A buffer of f32 that begins on a cache line.

use std::ops::{Deref, DerefMut};

/// One cache line, which is also one AVX-512 vector.
#[derive(Copy, Clone)]
#[repr(C, align(64))]
struct Line([f32; 16]);

/// A slice of f32, aligned to 64 bytes so that no vector of sixteen straddles two cache lines.
#[derive(Clone)]
pub struct Aligned {
    lines: Vec<Line>,
    len: usize,
}

impl Aligned {
    /// A buffer of `len` zeros.
    pub fn zeroed(len: usize) -> Aligned {
        Aligned { lines: vec![Line([0.0; 16]); len.div_ceil(16)], len }
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        // SAFETY: `Line` is `repr(C)` around `[f32; 16]` without padding, so the lines are `16 * lines.len()` f32 in a
        // row, and `len` is at most that.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as in `deref`; the borrow of `self` is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_has_its_length_and_begins_on_a_cache_line() {
        for len in [0, 1, 15, 16, 17, 1000] {
            let mut buffer = Aligned::zeroed(len);
            assert_eq!(buffer.len(), len);
            assert!(buffer.as_ptr().addr().is_multiple_of(64));
            buffer.fill(2.0);
            assert_eq!(buffer.iter().sum::<f32>(), 2.0 * len as f32);
        }
    }
}
