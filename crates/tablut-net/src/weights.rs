//! A net's weights in main memory: named tensors, checked against the architecture.

use std::collections::BTreeMap;
use std::ops::Range;

use ndarray::Axis;

use crate::architecture::Architecture;
use crate::error::NetError;
use crate::layers::{Layers, Values};
use crate::optional_input::OptionalInput;

/// A dense tensor of f32 in main memory.
pub type Tensor = ndarray::ArrayD<f32>;

/// Prefix of the names of tensors that exist only for training.
pub const AUXILIARY: &str = "aux.";

/// All weights of one net.
///
/// All tensors of the architecture are present with their dimensions, row-major, and every value is finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    architecture: Architecture,
    tensors: BTreeMap<String, Tensor>,
}

impl Weights {
    /// Uses `tensors` as the weights of a net, if they are exactly the tensors of the architecture. Tensors of heads
    /// that exist only for training are left out; their names begin with [`AUXILIARY`].
    pub fn new(architecture: Architecture, mut tensors: BTreeMap<String, Tensor>) -> Result<Self, NetError> {
        tensors.retain(|name, _| !name.starts_with(AUXILIARY));
        let layers = architecture.layers();
        for parameter in layers.parameters() {
            let name = &parameter.name;
            let tensor = tensors.get_mut(name).ok_or_else(|| NetError::MissingTensor(name.clone()))?;
            if tensor.shape() != parameter.dims {
                let (found, expected) = (tensor.shape().to_vec(), parameter.dims.clone());
                return Err(NetError::Dimensions { name: name.clone(), found, expected });
            }
            if !tensor.iter().all(|value| value.is_finite()) {
                return Err(NetError::NotFinite(name.clone()));
            }
            if !tensor.is_standard_layout() {
                *tensor = tensor.as_standard_layout().into_owned();
            }
        }
        let known = |name: &String| layers.parameters().iter().any(|parameter| parameter.name == *name);
        if let Some(name) = tensors.keys().find(|&name| !known(name)) {
            return Err(NetError::UnknownTensor(name.clone(), architecture.to_string()));
        }
        Ok(Self { architecture, tensors })
    }

    /// New weights for training. They depend only on `architecture` and `seed`. [`Architecture::layers`] describes
    /// their size.
    pub fn initial(architecture: &Architecture, seed: u64) -> Self {
        let layers = architecture.layers();
        let tensor = |parameter: &crate::Parameter| {
            let values = parameter.initial_values(seed);
            let tensor = Tensor::from_shape_vec(parameter.dims.clone(), values).expect("a value for each element");
            (parameter.name.clone(), tensor)
        };
        let tensors = layers.parameters().iter().map(tensor).collect();
        Self { architecture: architecture.clone(), tensors }
    }

    /// The same weights, but 0 for each of `inputs`.
    #[must_use]
    pub fn without(mut self, inputs: &[OptionalInput]) -> Self {
        for input in inputs {
            self.clear("trunk.input.weight", input.planes());
            self.clear("trunk.features.weight", input.features());
        }
        self
    }

    /// Sets the weights of some of a layer's inputs to 0.
    fn clear(&mut self, name: &str, inputs: Range<usize>) {
        let tensor = self.tensors.get_mut(name).expect("a tensor of every architecture");
        tensor.slice_axis_mut(Axis(1), inputs.into()).fill(0.0);
    }

    /// The net's architecture.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The tensor called `name`.
    ///
    /// # Panics
    /// If the architecture has no such tensor.
    pub fn get(&self, name: &str) -> &Tensor {
        self.tensors.get(name).unwrap_or_else(|| panic!("a net {} has no tensor `{name}`", self.architecture))
    }

    /// All tensors by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Tensor)> {
        self.tensors.iter().map(|(name, tensor)| (name.as_str(), tensor))
    }

    /// The values of all parameters of the architecture's layers.
    pub fn values(&self, layers: &Layers) -> Values<'_> {
        Values::new(layers.parameters().iter().map(|parameter| row_major(self.get(&parameter.name))))
    }

    /// Hash of names, dimensions and values. Two nets with equal hashes play exactly alike.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (name, tensor) in &self.tensors {
            hasher.update(name.as_bytes());
            for &dim in tensor.shape() {
                hasher.update(&(dim as u64).to_le_bytes());
            }
            for value in tensor {
                hasher.update(&value.to_le_bytes());
            }
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// A tensor's values, row-major.
fn row_major(tensor: &Tensor) -> &[f32] {
    tensor.as_slice().expect("weights are kept in the standard layout")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Architecture {
        Architecture::standard(2, 16).unwrap()
    }

    #[test]
    fn initial_weights_are_a_function_of_the_seed() {
        assert_eq!(Weights::initial(&small(), 7), Weights::initial(&small(), 7));
        assert_ne!(Weights::initial(&small(), 7).hash(), Weights::initial(&small(), 8).hash());
    }

    #[test]
    fn initial_weights_have_the_stated_spread() {
        let weights = Weights::initial(&small(), 1);
        let data = &weights.get("trunk.block0.conv1.weight");
        let variance = data.iter().map(|x| x * x).sum::<f32>() / data.len() as f32;
        let expected = 2.0 / (16.0 * 9.0);
        assert!((variance / expected - 1.0).abs() < 0.1, "{variance} against {expected}");
    }

    #[test]
    fn tensors_that_do_not_fit_the_architecture_are_refused() {
        let whole: BTreeMap<_, _> = Weights::initial(&small(), 1).tensors;
        let check = |edit: &dyn Fn(&mut BTreeMap<String, Tensor>), expected: &str| {
            let mut tensors = whole.clone();
            edit(&mut tensors);
            let error = Weights::new(small(), tensors).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(&|t| drop(t.remove("value.out.bias")), "`value.out.bias` is missing");
        check(&|t| drop(t.insert("value.out.bias".to_owned(), Tensor::zeros(vec![4]))), "dimensions [4], expected [3]");
        check(&|t| t.get_mut("moves_left.bias").unwrap()[0] = f32::NAN, "not finite");
        check(&|t| drop(t.insert("extra".to_owned(), t["value.out.bias"].clone())), "`extra` does not belong");
    }

    #[test]
    fn tensors_that_only_learning_reads_are_left_out() {
        let weights = Weights::initial(&small(), 1);
        let mut tensors = weights.tensors.clone();
        tensors.insert("aux.ownership.weight".to_owned(), Tensor::zeros(vec![2, 16]));
        assert_eq!(Weights::new(small(), tensors).unwrap(), weights);
    }

    #[test]
    fn tensors_in_another_layout_are_brought_into_the_standard_one() {
        let weights = Weights::initial(&small(), 1);
        let mut tensors = weights.tensors.clone();
        let hidden = tensors.get_mut("value.hidden.weight").unwrap();
        *hidden = hidden.t().as_standard_layout().into_owned().reversed_axes();
        assert!(!hidden.is_standard_layout());
        let read = Weights::new(small(), tensors).unwrap();
        let layers = small().layers();
        let id = layers.value.hidden.weight;
        assert_eq!(read.values(&layers).get(id), weights.values(&layers).get(id));
        assert_eq!(read.hash(), weights.hash());
    }
}
