//! A net's weights on the host: named tensors, checked against the shape.

use std::collections::BTreeMap;

use crate::error::NetError;
use crate::shape::NetShape;

/// A dense tensor of f32, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Dimensions, outermost first.
    pub dims: Vec<usize>,
    /// `dims.iter().product()` values.
    pub data: Vec<f32>,
}

/// All weights of one net.
///
/// Every tensor of [`NetShape::tensors`] is there with its dimensions, and every value is finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    shape: NetShape,
    tensors: BTreeMap<String, Tensor>,
}

impl Weights {
    /// Takes `tensors` as the weights of a net of `shape`, if they are exactly that.
    pub fn new(shape: NetShape, tensors: BTreeMap<String, Tensor>) -> Result<Self, NetError> {
        let specs = shape.tensors();
        for spec in &specs {
            let tensor = tensors.get(&spec.name).ok_or_else(|| NetError::MissingTensor(spec.name.clone()))?;
            if tensor.dims != spec.dims || tensor.data.len() != spec.len() {
                return Err(NetError::Dimensions {
                    name: spec.name.clone(),
                    found: tensor.dims.clone(),
                    expected: spec.dims.clone(),
                });
            }
            if !tensor.data.iter().all(|value| value.is_finite()) {
                return Err(NetError::NotFinite(spec.name.clone()));
            }
        }
        if let Some(name) = tensors.keys().find(|&name| !specs.iter().any(|spec| spec.name == *name)) {
            return Err(NetError::UnknownTensor(name.clone(), shape.to_string()));
        }
        Ok(Self { shape, tensors })
    }

    /// Fresh weights for training, a function of `shape` and `seed` alone.
    ///
    /// He initialisation, except that what closes a residual branch and what feeds a head's output starts small, so
    /// that an untrained net is close to the identity in its trunk and to uniform in its outputs (as in Fixup, Zhang
    /// et al. 2019, which lets a net without normalisation train).
    pub fn initial(shape: NetShape, seed: u64) -> Self {
        let tensors = shape
            .tensors()
            .into_iter()
            .map(|spec| {
                let scale = initial_scale(&spec.name, spec.fan_in, shape.blocks);
                let mut stream = Normal::new(seed, &spec.name);
                let data = (0..spec.len()).map(|_| if scale == 0.0 { 0.0 } else { scale * stream.next() }).collect();
                (spec.name.clone(), Tensor { dims: spec.dims, data })
            })
            .collect();
        Self { shape, tensors }
    }

    /// The net's shape.
    pub fn shape(&self) -> NetShape {
        self.shape
    }

    /// The tensor called `name`.
    ///
    /// # Panics
    /// When the shape has no such tensor.
    pub fn get(&self, name: &str) -> &Tensor {
        self.tensors.get(name).unwrap_or_else(|| panic!("a net of shape {} has no tensor `{name}`", self.shape))
    }

    /// All tensors by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Tensor)> {
        self.tensors.iter().map(|(name, tensor)| (name.as_str(), tensor))
    }

    /// Hash of names, dimensions and values: two nets play alike to the bit when theirs are equal.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (name, tensor) in &self.tensors {
            hasher.update(name.as_bytes());
            for &dim in &tensor.dims {
                hasher.update(&(dim as u64).to_le_bytes());
            }
            for value in &tensor.data {
                hasher.update(&value.to_le_bytes());
            }
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// Standard deviation of a tensor's initial values, 0 for a bias.
fn initial_scale(name: &str, fan_in: usize, blocks: usize) -> f32 {
    if fan_in == 0 {
        return 0.0;
    }
    let he = (2.0 / fan_in as f32).sqrt();
    if name.ends_with("conv2.weight") || name.contains("pool.weight") {
        return 0.3 * he / (blocks as f32).sqrt();
    }
    match name {
        "policy.out.weight" | "value.out.weight" | "moves_left.weight" => 0.1 * he,
        _ => he,
    }
}

/// Normal variates from a counter-based generator keyed by seed and tensor name, so that a tensor's values do not
/// depend on the other tensors.
struct Normal {
    reader: blake3::OutputReader,
}

impl Normal {
    fn new(seed: u64, name: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes());
        hasher.update(name.as_bytes());
        Self { reader: hasher.finalize_xof() }
    }

    /// One draw by the Box–Muller transform.
    fn next(&mut self) -> f32 {
        let mut bytes = [0; 16];
        self.reader.fill(&mut bytes);
        let unit = |half: &[u8]| {
            let bits = u64::from_le_bytes(half.try_into().expect("eight bytes")) >> 11;
            (bits as f64 + 0.5) / (1_u64 << 53) as f64
        };
        let (radius, angle) = (unit(&bytes[..8]), unit(&bytes[8..]));
        ((-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape() -> NetShape {
        NetShape::new(2, 16).unwrap()
    }

    #[test]
    fn initial_weights_are_a_function_of_the_seed() {
        assert_eq!(Weights::initial(shape(), 7), Weights::initial(shape(), 7));
        assert_ne!(Weights::initial(shape(), 7).hash(), Weights::initial(shape(), 8).hash());
    }

    #[test]
    fn initial_weights_have_the_stated_spread() {
        let weights = Weights::initial(shape(), 1);
        let data = &weights.get("trunk.block0.conv1.weight").data;
        let variance = data.iter().map(|x| x * x).sum::<f32>() / data.len() as f32;
        let expected = 2.0 / (16.0 * 9.0);
        assert!((variance / expected - 1.0).abs() < 0.1, "{variance} against {expected}");
    }

    #[test]
    fn tensors_that_do_not_fit_the_shape_are_refused() {
        let whole: BTreeMap<_, _> = Weights::initial(shape(), 1).tensors;
        let check = |edit: &dyn Fn(&mut BTreeMap<String, Tensor>), expected: &str| {
            let mut tensors = whole.clone();
            edit(&mut tensors);
            let error = Weights::new(shape(), tensors).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(&|t| drop(t.remove("value.out.bias")), "`value.out.bias` is missing");
        check(&|t| t.get_mut("value.out.bias").unwrap().dims = vec![4], "dimensions [4], expected [3]");
        check(&|t| t.get_mut("moves_left.bias").unwrap().data[0] = f32::NAN, "not finite");
        check(&|t| drop(t.insert("extra".to_owned(), t["value.out.bias"].clone())), "`extra` does not belong");
    }
}
