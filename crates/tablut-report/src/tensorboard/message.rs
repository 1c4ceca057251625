//! The part of protobuf's wire format that event files need: varints, fixed-size numbers, and bytes with a length.

/// A message under construction.
#[derive(Clone, Debug, Default)]
pub struct Message(pub Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn key(&mut self, field: u32, wire_type: u64) {
        self.varint(u64::from(field) << 3 | wire_type);
    }

    /// Adds an integer that is not negative, or an enum.
    pub fn integer(mut self, field: u32, value: u64) -> Self {
        self.key(field, 0);
        self.varint(value);
        self
    }

    /// Adds a double.
    pub fn double(mut self, field: u32, value: f64) -> Self {
        self.key(field, 1);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Adds a float.
    pub fn float(mut self, field: u32, value: f32) -> Self {
        self.key(field, 5);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Adds bytes or text.
    pub fn bytes(mut self, field: u32, bytes: &[u8]) -> Self {
        self.key(field, 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// Adds a message inside this one.
    pub fn message(self, field: u32, message: &Message) -> Self {
        self.bytes(field, &message.0)
    }

    /// Adds packed doubles.
    pub fn doubles(self, field: u32, values: &[f64]) -> Self {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.bytes(field, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn fields_are_those_of_the_documentation() {
        // The examples are from protobuf's documentation of its encoding.
        assert_eq!(Message::default().integer(1, 150).0, [0x08, 0x96, 0x01]);
        assert_eq!(Message::default().bytes(2, b"testing").0, [0x12, 7, b't', b'e', b's', b't', b'i', b'n', b'g']);
        let inner = Message::default().integer(1, 150);
        assert_eq!(Message::default().message(3, &inner).0, [0x1a, 3, 0x08, 0x96, 0x01]);
    }
}
