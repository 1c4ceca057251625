//! A writer of the protocol buffers wire format, for ONNX and TensorBoard.

/// A message that is being built, as the bytes of its fields. Fields may be appended in any order, and in one chain.
#[derive(Clone, Debug, Default)]
pub struct Message(Vec<u8>);

const VARINT: u64 = 0;
const EIGHT_BYTES: u64 = 1;
const LENGTH_DELIMITED: u64 = 2;
const FOUR_BYTES: u64 = 5;

impl Message {
    /// Appends an integer or enum field.
    pub fn varint(&mut self, field: u64, value: u64) -> &mut Self {
        self.raw_varint(field << 3 | VARINT);
        self.raw_varint(value);
        self
    }

    /// Appends a field of bytes.
    pub fn bytes(&mut self, field: u64, value: &[u8]) -> &mut Self {
        self.raw_varint(field << 3 | LENGTH_DELIMITED);
        self.raw_varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    /// Appends a field of text.
    pub fn text(&mut self, field: u64, value: &str) -> &mut Self {
        self.bytes(field, value.as_bytes())
    }

    /// Appends a nested message.
    pub fn message(&mut self, field: u64, value: &Message) -> &mut Self {
        self.bytes(field, &value.0)
    }

    /// Appends a float field.
    pub fn float(&mut self, field: u64, value: f32) -> &mut Self {
        self.raw_varint(field << 3 | FOUR_BYTES);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Appends a double field.
    pub fn double(&mut self, field: u64, value: f64) -> &mut Self {
        self.raw_varint(field << 3 | EIGHT_BYTES);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Appends a packed field of doubles.
    pub fn doubles(&mut self, field: u64, values: &[f64]) -> &mut Self {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.bytes(field, &bytes)
    }

    /// The message's bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// The message's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Seven bits per byte, lowest first. The high bit is set on all bytes but the last.
    fn raw_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_format_s_documentation() {
        let mut inner = Message::default();
        inner.varint(1, 150);
        assert_eq!(inner.clone().into_bytes(), [0x08, 0x96, 0x01]);
        let mut text = Message::default();
        text.text(2, "testing");
        assert_eq!(text.into_bytes(), b"\x12\x07testing");
        let mut outer = Message::default();
        outer.message(3, &inner);
        assert_eq!(outer.into_bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
    }
}
