//! Messages between the page and the module: JSON, and parts that are files or games.
//!
//! In bytes, a message is the number of its parts, then for the JSON and each part its length, and then these. All
//! numbers are u32, little-endian.

use serde::Serialize;

/// The most parts of a message. A generation's games are one part.
const MOST_PARTS: usize = 4096;

/// JSON and parts.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct TeachMessage {
    /// Text in JSON.
    pub json: String,
    /// Files or games.
    pub parts: Vec<Vec<u8>>,
}

impl TeachMessage {
    /// A message with this value as JSON.
    pub fn new(value: &impl Serialize, parts: Vec<Vec<u8>>) -> Self {
        Self { json: serde_json::to_string(value).expect("plain data"), parts }
    }

    /// The message's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let number = |n: usize| (n as u32).to_le_bytes();
        let mut bytes = number(self.parts.len()).to_vec();
        bytes.extend(number(self.json.len()));
        self.parts.iter().for_each(|part| bytes.extend(number(part.len())));
        bytes.extend(self.json.as_bytes());
        self.parts.iter().for_each(|part| bytes.extend(part));
        bytes
    }

    /// Reads a message.
    ///
    /// # Errors
    /// If the lengths do not fit the bytes, or the JSON is no text.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let mut rest = bytes;
        let n_parts = number(&mut rest)?;
        if n_parts > MOST_PARTS {
            return Err(format!("a message of {n_parts} parts, expected at most {MOST_PARTS}"));
        }
        let lengths = (0..=n_parts).map(|_| number(&mut rest)).collect::<Result<Vec<_>, _>>()?;
        let mut parts = lengths.iter().map(|&length| take(&mut rest, length).map(<[u8]>::to_vec));
        let json = parts.next().ok_or("a message without JSON")??;
        let json = String::from_utf8(json).map_err(|error| error.to_string())?;
        Ok(Self { json, parts: parts.collect::<Result<_, _>>()? })
    }
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8], String> {
    let (taken, left) = rest.split_at_checked(length).ok_or("a message is too short")?;
    *rest = left;
    Ok(taken)
}

fn number(rest: &mut &[u8]) -> Result<usize, String> {
    let bytes = take(rest, 4)?.try_into().expect("four bytes");
    Ok(u32::from_le_bytes(bytes) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_back_and_its_truncations_are_refused() {
        let message = TeachMessage::new(&"text", vec![vec![1, 2, 3], Vec::new(), vec![9]]);
        let bytes = message.to_bytes();
        assert_eq!(TeachMessage::from_bytes(&bytes), Ok(message));
        for length in 0..bytes.len() {
            assert!(TeachMessage::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
        }
        assert!(TeachMessage::from_bytes(&[255; 8]).unwrap_err().contains("parts"));
    }
}
