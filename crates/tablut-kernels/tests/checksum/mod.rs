//! A checksum of the bits of numbers: FNV-1a.

/// The checksum of all numbers so far.
pub struct Checksum(u64);

impl Default for Checksum {
    fn default() -> Self {
        Checksum(0xcbf2_9ce4_8422_2325)
    }
}

impl Checksum {
    pub fn add(&mut self, values: &[f32]) {
        for byte in values.iter().flat_map(|value| value.to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub fn value(&self) -> u64 {
        self.0
    }
}
