//! Training targets as a NumPy archive, for notebooks and other programs.
//!
//! A `.npz` is a zip file of `.npy` files. This code writes both formats, uncompressed, because the crates for them
//! have many dependencies. Their specifications are NumPy's `numpy.lib.format`, version 1.0, and PKWARE's APPNOTE,
//! sections 4.3 and 4.4.

use std::path::{Path, PathBuf};

use tablut_net::{FEATURES, PLANES, durable};
use tablut_rules::SIZE;

use crate::window::TrainingBatch;

/// An archive could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct NpzError {
    /// The archive.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

/// Writes a batch's inputs and targets to `path`, completely or not at all. `docs/formats.md` lists the arrays.
///
/// # Errors
/// If the archive would exceed 4 GiB or cannot be written.
pub fn write_npz(path: &Path, batch: &TrainingBatch) -> Result<(), NpzError> {
    let fail = |reason: String| NpzError { path: path.to_owned(), reason };
    let bytes = archive(batch).map_err(fail)?;
    durable::write(path, &bytes).map_err(|error| fail(error.to_string()))
}

fn archive(batch: &TrainingBatch) -> Result<Vec<u8>, String> {
    let (input, n) = (&batch.input, batch.input.n);
    let floats = |values: &[f32]| bytes(values.iter().map(|value| value.to_le_bytes()));
    let planes = input.plane_values().into_iter().map(|value| value as u8).collect::<Vec<_>>();
    let moves = bytes(input.moves.iter().flat_map(|index| [index.entry.to_le_bytes(), index.choice.to_le_bytes()]));
    let move_ends = bytes(input.move_ends.iter().map(|end| end.to_le_bytes()));
    let mut to = Archive::default();
    to.add("planes", "|u1", &[n, PLANES, SIZE, SIZE], &planes)?;
    to.add("features", "<f4", &[n, FEATURES], &floats(&input.features))?;
    to.add("moves", "<u2", &[input.moves.len(), 2], &moves)?;
    to.add("move_ends", "<u4", &[n], &move_ends)?;
    to.add("policy", "<f4", &[input.moves.len()], &floats(&batch.policy))?;
    to.add("values", "<f4", &[n, 3], &floats(batch.wdl.as_flattened()))?;
    to.add("moves_left", "<f4", &[n], &floats(&batch.moves_left))?;
    to.finish()
}

fn bytes<const N: usize>(values: impl Iterator<Item = [u8; N]>) -> Vec<u8> {
    values.flatten().collect()
}

/// A zip file that is being written.
#[derive(Default)]
struct Archive {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    n_files: u16,
}

impl Archive {
    /// Adds an array `name`, row-major, of numbers of NumPy's type `kind`.
    fn add(&mut self, name: &str, kind: &str, dims: &[usize], data: &[u8]) -> Result<(), String> {
        let mut file = npy_header(kind, dims);
        file.extend_from_slice(data);
        let name = format!("{name}.npy");
        let start = self.bytes.len();
        let mut fields = Vec::new();
        // Version 2.0, no flags, stored, the earliest time (1980-01-01).
        for field in [20u16, 0, 0, 0, 0x21] {
            fields.extend(field.to_le_bytes());
        }
        fields.extend(crc32(&file).to_le_bytes());
        fields.extend(small(file.len())?.to_le_bytes());
        fields.extend(small(file.len())?.to_le_bytes());
        fields.extend((name.len() as u16).to_le_bytes());
        fields.extend([0; 2]);
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&fields);
        self.bytes.extend(name.as_bytes());
        self.bytes.extend(file);
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(20u16.to_le_bytes());
        self.directory.extend(&fields);
        // No comment, the first disk, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(small(start)?.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.n_files += 1;
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<u8>, String> {
        let (start, size) = (small(self.bytes.len())?, small(self.directory.len())?);
        self.bytes.append(&mut self.directory);
        self.bytes.extend(b"PK\x05\x06");
        self.bytes.extend([0; 4]);
        self.bytes.extend(self.n_files.to_le_bytes());
        self.bytes.extend(self.n_files.to_le_bytes());
        self.bytes.extend(size.to_le_bytes());
        self.bytes.extend(start.to_le_bytes());
        self.bytes.extend([0; 2]);
        Ok(self.bytes)
    }
}

/// A length that fits into a zip file.
fn small(len: usize) -> Result<u32, String> {
    u32::try_from(len).map_err(|_| "a .npz file holds less than 4 GiB: export fewer games at a time".to_owned())
}

/// The header before an array's numbers.
fn npy_header(kind: &str, dims: &[usize]) -> Vec<u8> {
    let dims: Vec<_> = dims.iter().map(usize::to_string).collect();
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({},), }}", dims.join(", "));
    // Magic, version and length take ten bytes. The header's length is a multiple of 64, and it ends with a line feed.
    let len = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((len as u16).to_le_bytes());
    header.extend(format!("{text:width$}\n", width = len - 1).as_bytes());
    header
}

/// The CRC-32 of zip files (reflected, polynomial 0xEDB88320).
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut at = 0;
        while at < 256 {
            let mut value = at as u32;
            let mut bit = 0;
            while bit < 8 {
                value = if value & 1 == 1 { value >> 1 ^ 0xedb8_8320 } else { value >> 1 };
                bit += 1;
            }
            table[at] = value;
            at += 1;
        }
        table
    };
    !bytes.iter().fold(!0, |crc, &byte| TABLE[usize::from(crc as u8 ^ byte)] ^ crc >> 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_of_the_standards_example() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn headers_are_numpys() {
        let header = npy_header("<f4", &[3, 2]);
        assert_eq!(header.len(), 64 + 64);
        assert_eq!(&header[..10], b"\x93NUMPY\x01\x00\x76\x00");
        assert!(header[10..].starts_with(b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2,), }  "));
        assert_eq!(header.last(), Some(&b'\n'));
    }
}
