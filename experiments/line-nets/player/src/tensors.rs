//! Reads the tensors that `train.py` writes (safetensors with f32).

use std::collections::BTreeMap;
use std::path::Path;

use ndarray::{ArrayD, IxDyn};

pub type Tensors = BTreeMap<String, ArrayD<f32>>;

pub fn read(path: &Path) -> Result<Tensors, Box<dyn std::error::Error>> {
    let bytes = std::fs::read(path)?;
    let header = u64::from_le_bytes(bytes[..8].try_into()?) as usize;
    let (header, data) = bytes[8..].split_at(header);
    let header: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(header)?;
    let mut tensors = Tensors::new();
    for (name, tensor) in header.into_iter().filter(|(name, _)| name != "__metadata__") {
        let numbers = |key: &str| -> Vec<usize> { serde_json::from_value(tensor[key].clone()).expect("numbers") };
        let (dims, ends) = (numbers("shape"), numbers("data_offsets"));
        let values = data[ends[0]..ends[1]].chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
        tensors.insert(name, ArrayD::from_shape_vec(IxDyn(&dims), values.collect())?);
    }
    Ok(tensors)
}
