//! An event file: scalars, histograms and texts of one step, as records with checksums.

use tablut_net::protobuf::Message;

/// A file under construction. All its events have the same time and step.
pub struct EventFile {
    bytes: Vec<u8>,
    wall_time: f64,
    step: u64,
}

/// Counts in bins of equal width.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    min: f64,
    max: f64,
    sum: f64,
    sum_squares: f64,
    n: f64,
    /// Upper ends of the bins. The last bin includes all larger values.
    limits: Vec<f64>,
    counts: Vec<f64>,
}

impl Histogram {
    /// Counts `values` in `bins` bins of `width`, the first of which starts at `from`.
    pub fn of(values: impl Iterator<Item = f64>, from: f64, width: f64, bins: usize) -> Self {
        let limits: Vec<f64> = (1..=bins).map(|bin| from + width * bin as f64).collect();
        let counts = vec![0.0; bins];
        let (min, max) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut this = Self { min, max, sum: 0.0, sum_squares: 0.0, n: 0.0, limits, counts };
        for value in values {
            this.min = this.min.min(value);
            this.max = this.max.max(value);
            this.sum += value;
            this.sum_squares += value * value;
            this.n += 1.0;
            let bin = ((value - from) / width).floor().clamp(0.0, bins as f64 - 1.0) as usize;
            this.counts[bin] += 1.0;
        }
        if let Some(last) = this.limits.last_mut() {
            *last = last.max(this.max);
        }
        this
    }
}

/// `DT_STRING` of TensorFlow's types.
const STRING: u64 = 7;

impl EventFile {
    /// A file with only its version. `wall_time` is in seconds since 1970.
    pub fn new(wall_time: f64, step: u64) -> Self {
        let mut this = Self { bytes: Vec::new(), wall_time, step };
        this.record(Message::default().double(1, wall_time).text(3, "brain.Event:2").as_bytes());
        this
    }

    fn record(&mut self, data: &[u8]) {
        let length = (data.len() as u64).to_le_bytes();
        self.bytes.extend(length);
        self.bytes.extend(masked_crc(&length).to_le_bytes());
        self.bytes.extend_from_slice(data);
        self.bytes.extend(masked_crc(data).to_le_bytes());
    }

    /// Adds an event with one value of a summary. `fill` adds the value's fields to its tag.
    fn value(&mut self, tag: &str, fill: impl FnOnce(&mut Message) -> &mut Message) {
        let mut event = Message::default();
        event.double(1, self.wall_time).varint(2, self.step);
        event.message(5, Message::default().message(1, fill(Message::default().text(1, tag))));
        self.record(event.as_bytes());
    }

    pub fn scalar(&mut self, tag: &str, value: f32) {
        self.value(tag, |message| message.float(2, value));
    }

    /// Adds a histogram, unless it is empty.
    pub fn histogram(&mut self, tag: &str, histogram: &Histogram) {
        if histogram.n == 0.0 {
            return;
        }
        let Histogram { min, max, sum, sum_squares, n, limits, counts } = histogram;
        let mut proto = Message::default();
        proto.double(1, *min).double(2, *max).double(3, *n).double(4, *sum).double(5, *sum_squares);
        proto.doubles(6, limits).doubles(7, counts);
        self.value(tag, |value| value.message(5, &proto));
    }

    pub fn text(&mut self, tag: &str, markdown: &str) {
        let mut tensor = Message::default();
        let one_dimension = Message::default().message(2, Message::default().varint(1, 1)).clone();
        tensor.varint(1, STRING).message(2, &one_dimension).text(8, markdown);
        let plugin = Message::default().message(1, Message::default().text(1, "text")).clone();
        self.value(tag, |value| value.message(8, &tensor).message(9, &plugin));
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// The CRC-32C of a record, rotated and offset as the format requires.
fn masked_crc(data: &[u8]) -> u32 {
    crc32c::crc32c(data).rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_hold_length_data_and_checksums() {
        let mut file = EventFile::new(1.5, 3);
        file.scalar("a", 2.0);
        let bytes = file.into_bytes();
        let mut rest = &bytes[..];
        let mut records = Vec::new();
        while !rest.is_empty() {
            let length = u64::from_le_bytes(rest[..8].try_into().unwrap()) as usize;
            let crc = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().unwrap());
            let data = &rest[12..12 + length];
            assert_eq!((crc(8), crc(12 + length)), (masked_crc(&rest[..8]), masked_crc(data)));
            records.push(data.to_vec());
            rest = &rest[16 + length..];
        }
        assert_eq!(records.len(), 2);
        assert!(records[0].ends_with(b"brain.Event:2"));
        // Time, step 3, summary { value { tag "a", simple_value 2.0 } }.
        assert_eq!(records[1][9..], [0x10, 3, 0x2a, 10, 0x0a, 8, 0x0a, 1, b'a', 0x15, 0, 0, 0, 0x40]);
    }

    #[test]
    fn the_mask_is_that_of_the_format() {
        // CRC-32C of "123456789" is the check value of the polynomial's catalogue.
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(masked_crc(b"123456789"), 0xe306_9283_u32.rotate_right(15).wrapping_add(0xa282_ead8));
    }

    #[test]
    fn values_fall_into_bins() {
        let histogram = Histogram::of([0.0, 5.0, 10.0, 99.0, -3.0].into_iter(), 0.0, 10.0, 3);
        assert_eq!(histogram.counts, [3.0, 1.0, 1.0]);
        assert_eq!((histogram.min, histogram.max, histogram.limits[2]), (-3.0, 99.0, 99.0));
    }
}
