//! Numbers in bf16, and the size of their groups.

/// Channels come in groups of this size. One tile product sums over this many inputs, and a block of two tiles has this
/// many outputs.
pub const BF16_LANES: usize = 32;

/// The bf16 nearest to `value`, ties to even.
pub(super) fn round(value: f32) -> u16 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    // Rounding could turn a NaN into a number. Setting its highest fraction bit prevents this.
    let kept = bits >> 16 | 0x40;
    (if value.is_nan() { kept } else { rounded }) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_to_the_nearest_and_ties_to_even() {
        let back = |value: f32| f32::from_bits(u32::from(round(value)) << 16);
        assert_eq!(back(1.0), 1.0);
        assert_eq!(back(-3.5), -3.5);
        // bf16 numbers near one are 1/128 apart.
        assert_eq!(back(1.0 + 1.0 / 256.0), 1.0);
        assert_eq!(back(1.0 + 3.0 / 256.0), 1.0 + 2.0 / 128.0);
        assert_eq!(back(1.0 + 1.1 / 256.0), 1.0 + 1.0 / 128.0);
        assert!(back(f32::NAN).is_nan());
        assert_eq!(back(f32::INFINITY), f32::INFINITY);
    }
}
