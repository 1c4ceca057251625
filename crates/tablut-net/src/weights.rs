//! A net's weights in main memory: named tensors, checked against the architecture.

use std::collections::BTreeMap;

use crate::architecture::Architecture;
use crate::error::NetError;
use crate::layers::{Parameter, Values};

/// A dense tensor of f32 in main memory.
pub type Tensor = ndarray::ArrayD<f32>;

/// All weights of one net.
///
/// All tensors of the architecture are present with their dimensions, row-major, and every value is finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    architecture: Architecture,
    tensors: BTreeMap<String, Tensor>,
}

/// The logit of a draw in an untrained net. The logits of both wins are 0, so the chance of a draw is 1/20. Few games
/// are draws, and a net needs time to unlearn a chance of 1/3.
const UNTRAINED_DRAW: f32 = -2.25;
/// The biases of the outcome's logits, in every architecture.
const OUTCOME_BIAS: &str = "value.out.bias";

impl Weights {
    /// Uses `tensors` as the weights of a net.
    ///
    /// # Errors
    /// If the tensors are not exactly those of the architecture, or a value is not finite.
    pub fn new(architecture: Architecture, mut tensors: BTreeMap<String, Tensor>) -> Result<Self, NetError> {
        let mut known = BTreeMap::new();
        for Parameter { name, dims, .. } in architecture.tensors() {
            let tensor = tensors.remove(&name).ok_or_else(|| NetError::MissingTensor(name.clone()))?;
            let tensor = check_tensor(tensor, &name, &dims)?;
            known.insert(name, tensor);
        }
        match tensors.into_keys().next() {
            Some(name) if name.starts_with("specialist.") => Err(NetError::Specialists),
            Some(name) => Err(NetError::UnknownTensor(name, architecture.to_string())),
            None => Ok(Self { architecture, tensors: known }),
        }
    }

    /// New weights for training. They depend only on `architecture` and `seed`. [`Architecture::tensors`] describes
    /// their size.
    pub fn initial(architecture: &Architecture, seed: u64) -> Self {
        let tensor = |parameter: &Parameter| {
            let mut values = parameter.initial_values(seed);
            if parameter.name == OUTCOME_BIAS {
                values[1] = UNTRAINED_DRAW;
            }
            let tensor = Tensor::from_shape_vec(parameter.dims.clone(), values).expect("a value for each element");
            (parameter.name.clone(), tensor)
        };
        let tensors = architecture.tensors().iter().map(tensor).collect();
        Self { architecture: *architecture, tensors }
    }

    /// The net's architecture.
    pub fn architecture(&self) -> Architecture {
        self.architecture
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

    /// The values of all tensors, in the order of [`Architecture::tensors`].
    pub fn values(&self) -> Values<'_> {
        Values::new(self.architecture.tensors().iter().map(|parameter| row_major(self.get(&parameter.name))))
    }

    /// Hash of names, dimensions and values. Nets with equal hashes have equal outputs.
    pub fn hash(&self) -> String {
        hash(&self.tensors)
    }
}

/// As [`Weights::hash`].
pub fn hash(tensors: &BTreeMap<String, Tensor>) -> String {
    let mut hasher = blake3::Hasher::new();
    for (name, tensor) in tensors {
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

/// `tensor` in the standard layout, if it has these dimensions and is finite.
fn check_tensor(tensor: Tensor, name: &str, dims: &[usize]) -> Result<Tensor, NetError> {
    if tensor.shape() != dims {
        let (found, expected) = (tensor.shape().to_vec(), dims.to_vec());
        return Err(NetError::Dimensions { name: name.to_owned(), found, expected });
    }
    if !tensor.iter().all(|value| value.is_finite()) {
        return Err(NetError::NotFinite(name.to_owned()));
    }
    Ok(if tensor.is_standard_layout() { tensor } else { tensor.as_standard_layout().into_owned() })
}

fn row_major(tensor: &Tensor) -> &[f32] {
    tensor.as_slice().expect("weights are kept in the standard layout")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Architecture {
        Architecture::new(32, 1).unwrap()
    }

    #[test]
    fn initial_weights_are_a_function_of_the_seed() {
        assert_eq!(Weights::initial(&small(), 7), Weights::initial(&small(), 7));
        assert_ne!(Weights::initial(&small(), 7).hash(), Weights::initial(&small(), 8).hash());
    }

    #[test]
    fn initial_weights_have_the_stated_spread() {
        let weights = Weights::initial(&small(), 1);
        let data = &weights.get("line.first0.weight");
        let variance = data.iter().map(|x| x * x).sum::<f32>() / data.len() as f32;
        let expected = 2.0 / (48.0 * 5.0);
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
        check(&|t| drop(t.insert("specialist.kvasir.rules".to_owned(), Tensor::zeros(vec![41]))), "commit 47e35559");
    }

    #[test]
    fn tensors_in_another_layout_are_brought_into_the_standard_one() {
        let weights = Weights::initial(&small(), 1);
        let mut tensors = weights.tensors.clone();
        let hidden = tensors.get_mut("value.hidden.weight").unwrap();
        *hidden = hidden.t().as_standard_layout().into_owned().reversed_axes();
        assert!(!hidden.is_standard_layout());
        let read = Weights::new(small(), tensors).unwrap();
        let id = small().layers().value.hidden.weight;
        assert_eq!(read.values().get(id), weights.values().get(id));
        assert_eq!(read.hash(), weights.hash());
    }
}
