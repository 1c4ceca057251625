//! Safetensors with f32 tensors and string metadata. Checkpoints use this format too.

use std::collections::{BTreeMap, HashMap};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::error::ModelFileErrorKind as Kind;
use crate::weights::Tensor;

/// The key of the checksum of all other metadata.
const CHECKSUM: &str = "checksum";

/// The first 16 digits of the BLAKE3 hash of the keys and values, each preceded by its length.
fn checksum(metadata: &BTreeMap<&str, &str>) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in metadata.iter().flat_map(|(key, value)| [key, value]) {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// The file's bytes. Keys are sorted, so equal contents have equal bytes. A checksum of the metadata is added to
/// the metadata.
///
/// # Errors
/// If a tensor is not row-major.
pub fn serialize<'a>(
    metadata: &BTreeMap<&str, String>,
    tensors: impl Iterator<Item = (&'a str, &'a Tensor)>,
) -> Result<Vec<u8>, Kind> {
    let format = |error: &dyn std::fmt::Display| Kind::Format(error.to_string());
    let views = tensors
        .map(|(name, tensor)| {
            let values = tensor.as_slice().ok_or_else(|| Kind::Format(format!("tensor `{name}` is not row-major")))?;
            let bytes = bytemuck::cast_slice(values);
            let view = TensorView::new(Dtype::F32, tensor.shape().to_vec(), bytes);
            view.map(|view| (name, view)).map_err(|error| format(&error))
        })
        .collect::<Result<Vec<_>, _>>()?;
    // The library stores metadata in a hash map, whose order differs from run to run. So write it as one sorted
    // entry.
    let mut metadata: BTreeMap<&str, &str> = metadata.iter().map(|(key, value)| (*key, value.as_str())).collect();
    metadata.remove(CHECKSUM);
    let checksum = checksum(&metadata);
    metadata.insert(CHECKSUM, &checksum);
    let sorted = serde_json::to_string(&metadata).map_err(|error| format(&error))?;
    let map = HashMap::from([("tablut".to_owned(), sorted)]);
    safetensors::serialize(views, Some(map)).map_err(|error| format(&error))
}

/// Metadata, and tensors by name.
pub type Contents = (HashMap<String, String>, BTreeMap<String, Tensor>);

/// Reads the metadata and the tensors from a file's bytes.
///
/// # Errors
/// If the bytes are not a complete safetensors file with f32 tensors, or the checksum of the metadata is wrong.
pub fn deserialize(bytes: &[u8]) -> Result<Contents, Kind> {
    let format = |error: &dyn std::fmt::Display| Kind::Format(error.to_string());
    let (_, header) = SafeTensors::read_metadata(bytes)
        .map_err(|error| seems_to_be(bytes).map_or_else(|| format(&error), Kind::OtherKind))?;
    let file = SafeTensors::deserialize(bytes).map_err(|error| format(&error))?;
    let metadata = header.metadata().as_ref().and_then(|map| map.get("tablut")).ok_or(Kind::MissingKey("tablut"))?;
    let mut metadata: HashMap<String, String> =
        serde_json::from_str(metadata).map_err(|error| Kind::BadKey { key: "tablut", reason: error.to_string() })?;
    let stated = metadata.remove(CHECKSUM).ok_or(Kind::MissingKey(CHECKSUM))?;
    if stated != checksum(&metadata.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect()) {
        return Err(Kind::Metadata);
    }
    let mut tensors = BTreeMap::new();
    for (name, view) in file.iter() {
        if view.dtype() != Dtype::F32 {
            return Err(Kind::Format(format!("tensor `{name}` is {:?}, expected F32", view.dtype())));
        }
        let data = view
            .data()
            .chunks_exact(4)
            .map(|bytes| f32::from_le_bytes(bytes.try_into().expect("four bytes")))
            .collect();
        let tensor = Tensor::from_shape_vec(view.shape().to_vec(), data).map_err(|error| format(&error))?;
        tensors.insert(name.to_owned(), tensor);
    }
    Ok((metadata, tensors))
}

/// The kind of file that `bytes` seem to be, as in "it seems to be …", or `None` if it is unknown.
fn seems_to_be(bytes: &[u8]) -> Option<&'static str> {
    const STARTS: [(&[u8], &str); 7] = [
        (b"TABLUTGR", "a file of game records"),
        (b"PK\x03\x04", "a ZIP archive, such as a PyTorch checkpoint"),
        (b"\x1f\x8b", "a file compressed by gzip"),
        (b"\x28\xb5\x2f\xfd", "a file compressed by zstd"),
        (b"\x7fELF", "a program"),
        (b"\x93NUMPY", "an array of NumPy"),
        // The field ir_version, then the field producer_name: ONNX models by this program and most others start like
        // this.
        (b"\x08", "a model in ONNX's format; only the model files of `tablut train` can be read"),
    ];
    if bytes.is_empty() {
        return Some("an empty file");
    }
    // Safetensors start with the length of their header. Its last bytes are 0 in any file of reasonable size.
    let header_len = bytes.first_chunk().map_or(u64::MAX, |length| u64::from_le_bytes(*length));
    if header_len < 100_000_000 && bytes.get(8) == Some(&b'{') {
        return None;
    }
    if let Some((_, kind)) = STARTS.iter().find(|(start, _)| bytes.starts_with(start)) {
        return Some(kind);
    }
    let start = std::str::from_utf8(&bytes[..bytes.len().min(4096)]).or_else(|error| match error.error_len() {
        None => std::str::from_utf8(&bytes[..error.valid_up_to()]),
        Some(_) => Err(error),
    });
    let text = start.ok().filter(|text| !text.chars().any(|c| c.is_control() && !c.is_ascii_whitespace()))?;
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
    Some(match first {
        _ if first.starts_with('{') => "JSON text, such as metrics or games of a match",
        _ if first.starts_with('[') || first.contains('=') => "TOML text, such as a config or a rule set",
        _ => "text",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_people_mistake_for_models_are_recognised() {
        let kind = |bytes: &[u8]| seems_to_be(bytes).unwrap_or("nothing");
        assert_eq!(kind(b""), "an empty file");
        assert!(kind(b"# A net.\n\nrules = [\"kvasir\"]\n").starts_with("TOML text"));
        assert!(kind(b"[schedule]\n").starts_with("TOML text"));
        assert!(kind(b"{\"generation\":0}\n").starts_with("JSON text"));
        assert_eq!(kind("a ä letter".as_bytes()), "text");
        assert_eq!(kind(&"ä".repeat(4097).as_bytes()[..8193]), "text");
        assert!(kind(b"TABLUTGR\x02\0\0\0").contains("game records"));
        assert!(kind(b"PK\x03\x04rest").contains("ZIP"));
        assert_eq!(kind(b"\x90\x01\0\0\0\0\0\0{\"__metadata__\""), "nothing");
        assert_eq!(kind(&[0xff; 40]), "nothing");
    }
}
