//! Training targets as a NumPy archive, for notebooks and other programs.
//!
//! A `.npz` is a zip file of `.npy` files, here without compression. Their format is NumPy's `numpy.lib.format`, version
//! 1.0.

use std::io::{self, Cursor, Write as _};
use std::path::Path;

use tablut_net::{FEATURES, PLANES, durable};
use tablut_rules::BoardSize;
use zip::write::FileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::window::TrainingBatch;

/// Writes the inputs and targets of a batch with boards of this size to `path`, completely or not at all. `docs/formats.md` lists the arrays.
///
/// # Errors
/// If the archive cannot be written.
pub fn write_npz(path: &Path, size: BoardSize, batch: &TrainingBatch) -> io::Result<()> {
    let (input, n) = (&batch.input, batch.input.n);
    let floats = |values: &[f32]| bytes(values.iter().map(|value| value.to_le_bytes()));
    let planes = input.plane_values().into_iter().map(|value| value as u8).collect::<Vec<_>>();
    let moves = bytes(input.moves.iter().flat_map(|index| [index.entry.to_le_bytes(), index.choice.to_le_bytes()]));
    let move_ends = bytes(input.move_ends.iter().map(|end| end.to_le_bytes()));
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    // An array is row-major, with numbers of NumPy's type `kind`.
    let mut add = |name: &str, kind: &str, dims: &[usize], data: &[u8]| -> io::Result<()> {
        let is_large = u32::try_from(data.len() + 128).is_err();
        let options = FileOptions::default().compression_method(CompressionMethod::Stored).large_file(is_large);
        zip.start_file(format!("{name}.npy"), options)?;
        zip.write_all(&npy_header(kind, dims))?;
        zip.write_all(data)
    };
    add("planes", "|u1", &[n, PLANES, size.width(), size.width()], &planes)?;
    add("features", "<f4", &[n, FEATURES], &floats(&input.features))?;
    add("moves", "<u2", &[input.moves.len(), 2], &moves)?;
    add("move_ends", "<u4", &[n], &move_ends)?;
    add("policy", "<f4", &[input.moves.len()], &floats(&batch.policy))?;
    add("values", "<f4", &[n, 3], &floats(batch.wdl.as_flattened()))?;
    add("moves_left", "<f4", &[n], &floats(&batch.moves_left))?;
    durable::write(path, zip.finish()?.get_ref())
}

fn bytes<const N: usize>(values: impl Iterator<Item = [u8; N]>) -> Vec<u8> {
    values.flatten().collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_numpys() {
        let header = npy_header("<f4", &[3, 2]);
        assert_eq!(header.len(), 64 + 64);
        assert_eq!(&header[..10], b"\x93NUMPY\x01\x00\x76\x00");
        assert!(header[10..].starts_with(b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2,), }  "));
        assert_eq!(header.last(), Some(&b'\n'));
    }
}
