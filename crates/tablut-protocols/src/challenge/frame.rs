//! Frames: a length as a signed 32-bit big-endian integer, followed by that many bytes of UTF-8 text.

use super::ChallengeError;
use serde::Serialize;
use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

/// The maximum length of a frame. A state takes about 1 kB.
pub const MAX_FRAME_BYTES: usize = 1 << 16;

/// The maximum time from a frame's first byte to its last. A frame is one packet, so half a frame must not block for
/// long.
pub const FRAME_TIME: Duration = Duration::from_secs(5);

/// Reads one frame.
///
/// `wait` is the maximum time for the whole frame. Once the frame has started, it may take [`FRAME_TIME`]. The reader's
/// own time-out should be shorter, so that the clock is checked.
pub fn read_frame(stream: &mut dyn Read, peer: &'static str, wait: Duration) -> Result<String, ChallengeError> {
    read_frame_within(stream, peer, wait, FRAME_TIME)
}

fn read_frame_within(
    stream: &mut dyn Read,
    peer: &'static str,
    wait: Duration,
    frame_time: Duration,
) -> Result<String, ChallengeError> {
    let mut deadline = Deadline { until: Instant::now() + wait, wait, frame_time: Some(frame_time), peer };
    let mut header = [0; 4];
    match deadline.fill(stream, &mut header)? {
        0 => return Err(ChallengeError::Closed { peer }),
        4 => {}
        found => return Err(ChallengeError::HalfFrame { peer, found, expected: 4 }),
    }
    let length = i32::from_be_bytes(header);
    let size = usize::try_from(length).ok().filter(|size| (1..=MAX_FRAME_BYTES).contains(size));
    let Some(expected) = size else {
        return Err(ChallengeError::Length { peer, length, max: MAX_FRAME_BYTES });
    };
    let mut bytes = vec![0; expected];
    let found = deadline.fill(stream, &mut bytes)?;
    if found < expected {
        return Err(ChallengeError::HalfFrame { peer, found, expected });
    }
    String::from_utf8(bytes).map_err(|error| ChallengeError::Message {
        peer,
        reason: "expected UTF-8 text".to_owned(),
        text: String::from_utf8_lossy(error.as_bytes()).chars().take(40).collect(),
    })
}

pub fn write_frame(stream: &mut dyn Write, peer: &'static str, text: &str) -> Result<(), ChallengeError> {
    assert!(text.len() <= MAX_FRAME_BYTES, "a message of {} bytes", text.len());
    let mut bytes = (text.len() as i32).to_be_bytes().to_vec();
    bytes.extend(text.as_bytes());
    // One write, so that a peer never sees a length without its text.
    stream.write_all(&bytes).and_then(|()| stream.flush()).map_err(|reason| ChallengeError::Connection { peer, reason })
}

pub(super) fn write_json(
    stream: &mut dyn Write,
    peer: &'static str,
    message: &impl Serialize,
) -> Result<(), ChallengeError> {
    write_frame(stream, peer, &serde_json::to_string(message).expect("a message is plain data"))
}

struct Deadline {
    until: Instant,
    wait: Duration,
    /// The time from the first byte to the last. `None` after the first byte.
    frame_time: Option<Duration>,
    peer: &'static str,
}

impl Deadline {
    /// Reads until `buffer` is full or the stream ends, and returns the number of bytes.
    fn fill(&mut self, stream: &mut dyn Read, buffer: &mut [u8]) -> Result<usize, ChallengeError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match stream.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(n) => {
                    filled += n;
                    if let Some(frame_time) = self.frame_time.take() {
                        let until = Instant::now() + frame_time;
                        if until < self.until {
                            (self.until, self.wait) = (until, frame_time);
                        }
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) if error.kind() == ErrorKind::ConnectionReset && filled == 0 => break,
                Err(reason) => return Err(ChallengeError::Connection { peer: self.peer, reason }),
            }
            if Instant::now() >= self.until && filled < buffer.len() {
                return Err(ChallengeError::Silent { peer: self.peer, seconds: self.wait.as_secs() });
            }
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::{ChallengeError, MAX_FRAME_BYTES, read_frame, read_frame_within, write_frame};
    use std::io::{Cursor, Read};
    use std::time::Duration;

    const WAIT: Duration = Duration::from_secs(5);

    fn read(bytes: &[u8]) -> Result<String, ChallengeError> {
        read_frame(&mut Cursor::new(bytes), "referee", WAIT)
    }

    #[test]
    fn the_name_frame_is_the_one_of_the_challenge() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, "referee", "\"pyrandom\"").unwrap();
        assert_eq!(bytes, b"\x00\x00\x00\x0a\"pyrandom\"");
        assert_eq!(read(&bytes).unwrap(), "\"pyrandom\"");
    }

    #[test]
    fn damaged_frames_have_different_errors() {
        assert!(matches!(read(b""), Err(ChallengeError::Closed { .. })));
        assert!(matches!(read(b"\0\0"), Err(ChallengeError::HalfFrame { found: 2, expected: 4, .. })));
        assert!(matches!(read(b"\0\0\0\x05abc"), Err(ChallengeError::HalfFrame { found: 3, expected: 5, .. })));
        for length in [-1, 0, i32::MIN, MAX_FRAME_BYTES as i32 + 1, i32::MAX] {
            let error = read(&length.to_be_bytes()).unwrap_err();
            assert!(matches!(error, ChallengeError::Length { length: l, .. } if l == length), "{error}");
        }
        let error = read(b"\0\0\0\x02\xff\xfe").unwrap_err();
        assert!(matches!(error, ChallengeError::Message { .. }), "{error}");
    }

    #[test]
    fn the_wait_for_a_silent_peer_ends() {
        /// A stream whose reads all time out.
        struct Silence;
        impl Read for Silence {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::WouldBlock.into())
            }
        }
        let error = read_frame(&mut Silence, "referee", Duration::ZERO).unwrap_err();
        assert!(matches!(error, ChallengeError::Silent { .. }), "{error}");
    }

    #[test]
    fn the_wait_for_the_rest_of_a_frame_is_shorter_than_for_a_move() {
        /// A stream that contains half a frame.
        struct Half(&'static [u8]);
        impl Read for Half {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                if self.0.is_empty() { Err(std::io::ErrorKind::WouldBlock.into()) } else { self.0.read(buffer) }
            }
        }
        for half in [&b"\0\0"[..], b"\0\0\0\x20{\"from\""] {
            let error =
                read_frame_within(&mut Half(half), "referee", Duration::from_hours(1), Duration::ZERO).unwrap_err();
            assert!(matches!(error, ChallengeError::Silent { seconds: 0, .. }), "{error}");
        }
    }
}
