//! A net's weights in main memory: named tensors, checked against the architecture.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::architecture::Architecture;
use crate::error::NetError;
use crate::layers::Values;
use crate::specialists::{Parts, RULE_FEATURES, rule_features};
use tablut_rules::{RuleSet, is_rule_set_name};

/// A dense tensor of f32 in main memory.
pub type Tensor = ndarray::ArrayD<f32>;

/// Prefix of the names of a specialist's tensors, before its name: `specialist.kvasir.value.out.bias`.
const SPECIALIST: &str = "specialist.";
/// After the specialist's name: the tensor with the features of its rules, `[RULE_FEATURES]`.
const RULES: &str = "rules";

/// All weights of one net.
///
/// All tensors of the architecture are present with their dimensions, row-major, and every value is finite. The same
/// holds for each specialist, a set of weights that replaces the general one under some rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    architecture: Architecture,
    /// The general tensors.
    tensors: BTreeMap<String, Tensor>,
    /// The specialists by name.
    specialists: BTreeMap<String, Specialist>,
}

/// Weights for one rule set.
#[derive(Clone, Debug, PartialEq)]
struct Specialist {
    /// The rule set's features.
    rules: Tensor,
    tensors: BTreeMap<String, Tensor>,
}

/// The logit of a draw in an untrained net. The logits of both wins are 0, so the chance of a draw is 1/20. Few games
/// are draws, and a net needs time to unlearn a chance of 1/3.
const UNTRAINED_DRAW: f32 = -2.25;
/// The biases of the outcome's logits, in every architecture.
const OUTCOME_BIAS: &str = "value.out.bias";

impl Weights {
    /// Uses `tensors` as the weights of a net. Tensors of specialists have a prefix, as in [`Weights::iter`].
    ///
    /// # Errors
    /// If the tensors are not exactly those of the architecture and of whole specialists, or a value is not finite.
    pub fn new(architecture: Architecture, mut tensors: BTreeMap<String, Tensor>) -> Result<Self, NetError> {
        let mut parts: BTreeMap<String, BTreeMap<String, Tensor>> = BTreeMap::new();
        let theirs: Vec<_> =
            tensors.extract_if(SPECIALIST.to_owned().., |name, _| name.starts_with(SPECIALIST)).collect();
        for (name, tensor) in theirs {
            let unknown = || NetError::UnknownTensor(name.clone(), architecture.to_string());
            let (part, own) = name[SPECIALIST.len()..].split_once('.').ok_or_else(unknown)?;
            if !is_rule_set_name(part) {
                return Err(unknown());
            }
            parts.entry(part.to_owned()).or_default().insert(own.to_owned(), tensor);
        }
        let specialist = |(name, mut tensors): (String, BTreeMap<String, Tensor>)| {
            let rules = tensors.remove(RULES);
            let full = |own: &str| format!("{SPECIALIST}{name}.{own}");
            let rules = rules.ok_or_else(|| NetError::MissingTensor(full(RULES)))?;
            let rules = checked(rules, &full(RULES), &[RULE_FEATURES])?;
            let tensors = complete(&architecture, tensors, full)?;
            Ok((name, Specialist { rules, tensors }))
        };
        let specialists = parts.into_iter().map(specialist).collect::<Result<_, NetError>>()?;
        let tensors = complete(&architecture, tensors, str::to_owned)?;
        Ok(Self { architecture, tensors, specialists })
    }

    /// New weights for training. They depend only on `architecture` and `seed`. [`Architecture::tensors`] describes
    /// their size.
    pub fn initial(architecture: &Architecture, seed: u64) -> Self {
        let tensor = |parameter: &crate::Parameter| {
            let mut values = parameter.initial_values(seed);
            if parameter.name == OUTCOME_BIAS {
                values[1] = UNTRAINED_DRAW;
            }
            let tensor = Tensor::from_shape_vec(parameter.dims.clone(), values).expect("a value for each element");
            (parameter.name.clone(), tensor)
        };
        let tensors = architecture.tensors().iter().map(tensor).collect();
        Self { architecture: architecture.clone(), tensors, specialists: BTreeMap::new() }
    }

    /// The same net with `specialist`'s general weights as a specialist for the rules of `set`. It replaces a
    /// specialist of the same name or for the same rules.
    ///
    /// # Errors
    /// If the specialist has another architecture, or `name` is not a valid name of a rule set.
    pub fn with_specialist(mut self, name: &str, set: &RuleSet, specialist: Self) -> Result<Self, NetError> {
        if specialist.architecture != self.architecture {
            let (own, found) = (&self.architecture, &specialist.architecture);
            return Err(NetError::Architecture(format!("the specialist has the shape {found}, expected {own}")));
        }
        if !is_rule_set_name(name) {
            return Err(NetError::Architecture(format!("\"{name}\" is not the name of a rule set")));
        }
        let rules = Tensor::from_shape_vec(vec![RULE_FEATURES], rule_features(set)).expect("a value for each feature");
        self.specialists.retain(|_, other| other.rules != rules);
        self.specialists.insert(name.to_owned(), Specialist { rules, tensors: specialist.tensors });
        Ok(self)
    }

    /// The names of the specialists.
    pub fn specialists(&self) -> impl Iterator<Item = &str> {
        self.specialists.keys().map(String::as_str)
    }

    /// The name of the specialist for the rules of `set`, or `None` if the general weights apply.
    pub fn specialist_for(&self, set: &RuleSet) -> Option<&str> {
        let rules = rule_features(set);
        let found = self.specialists.iter().find(|(_, specialist)| specialist.rules.iter().eq(&rules));
        found.map(|(name, _)| name.as_str())
    }

    /// The weights that apply under the rules of `set`, as a net without specialists.
    #[must_use]
    pub fn for_rules(&self, set: &RuleSet) -> Self {
        self.part(self.specialist_for(set).map_or(&self.tensors, |name| &self.specialists[name].tensors))
    }

    /// The general weights, as a net without specialists.
    #[must_use]
    pub fn general(&self) -> Self {
        self.part(&self.tensors)
    }

    /// A part's tensors as a net without specialists.
    fn part(&self, tensors: &BTreeMap<String, Tensor>) -> Self {
        Self { architecture: self.architecture.clone(), tensors: tensors.clone(), specialists: BTreeMap::new() }
    }

    /// The parts by their rules.
    pub(crate) fn parts(&self) -> Parts {
        Parts::new(self.specialists.values().map(|specialist| specialist.rules.iter().copied().collect()).collect())
    }

    /// Every part as a net without specialists, in the order of [`Parts`].
    pub(crate) fn part_weights(&self) -> impl Iterator<Item = Self> {
        let theirs = self.specialists.values().map(|specialist| &specialist.tensors);
        std::iter::once(&self.tensors).chain(theirs).map(|tensors| self.part(tensors))
    }

    /// The net's architecture.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The general tensor called `name`.
    ///
    /// # Panics
    /// If the architecture has no such tensor.
    pub fn get(&self, name: &str) -> &Tensor {
        self.tensors.get(name).unwrap_or_else(|| panic!("a net {} has no tensor `{name}`", self.architecture))
    }

    /// All tensors by name: the general ones, then those of each specialist with a prefix.
    pub fn iter(&self) -> impl Iterator<Item = (Cow<'_, str>, &Tensor)> {
        let theirs = self.specialists.iter().flat_map(|(part, specialist)| {
            let own = specialist.tensors.iter().map(|(name, tensor)| (name.as_str(), tensor));
            let own = own.chain([(RULES, &specialist.rules)]);
            own.map(move |(name, tensor)| (Cow::from(format!("{SPECIALIST}{part}.{name}")), tensor))
        });
        self.tensors.iter().map(|(name, tensor)| (Cow::from(name.as_str()), tensor)).chain(theirs)
    }

    /// The values of all general tensors, in the order of [`Architecture::tensors`].
    pub fn values(&self) -> Values<'_> {
        Values::new(self.architecture.tensors().iter().map(|parameter| row_major(self.get(&parameter.name))))
    }

    /// Hash of names, dimensions and values. Nets with equal hashes have equal outputs.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (name, tensor) in self.iter() {
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

/// `tensors`, if they are exactly the tensors of the architecture. `full` makes the name for messages.
fn complete(
    architecture: &Architecture,
    mut tensors: BTreeMap<String, Tensor>,
    full: impl Fn(&str) -> String,
) -> Result<BTreeMap<String, Tensor>, NetError> {
    let mut known = BTreeMap::new();
    for parameter in architecture.tensors() {
        let name = &parameter.name;
        let tensor = tensors.remove(name).ok_or_else(|| NetError::MissingTensor(full(name)))?;
        known.insert(name.clone(), checked(tensor, &full(name), &parameter.dims)?);
    }
    match tensors.keys().next() {
        Some(name) => Err(NetError::UnknownTensor(full(name), architecture.to_string())),
        None => Ok(known),
    }
}

/// `tensor` in the standard layout, if it has these dimensions and is finite.
fn checked(tensor: Tensor, name: &str, dims: &[usize]) -> Result<Tensor, NetError> {
    if tensor.shape() != dims {
        let (found, expected) = (tensor.shape().to_vec(), dims.to_vec());
        return Err(NetError::Dimensions { name: name.to_owned(), found, expected });
    }
    if !tensor.iter().all(|value| value.is_finite()) {
        return Err(NetError::NotFinite(name.to_owned()));
    }
    Ok(if tensor.is_standard_layout() { tensor } else { tensor.as_standard_layout().into_owned() })
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
    fn specialists_come_back_and_faulty_ones_are_refused() {
        let set = |name: &str| RuleSet::named(name).unwrap();
        let [general, own] = [1, 2].map(|seed| Weights::initial(&small(), seed));
        let both = general.clone().with_specialist("kvasir", &set("kvasir"), own.clone()).unwrap();
        let tensors: BTreeMap<String, Tensor> = both.iter().map(|(name, t)| (name.into_owned(), t.clone())).collect();
        assert_eq!(Weights::new(small(), tensors.clone()).unwrap(), both);
        assert_eq!((both.for_rules(&set("kvasir")), both.for_rules(&set("tartu"))), (own.clone(), general.clone()));
        assert_eq!((both.specialist_for(&set("kvasir")), both.specialist_for(&set("tartu"))), (Some("kvasir"), None));
        assert_eq!(both.part_weights().collect::<Vec<_>>(), [general.clone(), own.clone()]);
        assert_ne!(both.hash(), general.hash());
        let again = both.clone().with_specialist("other", &set("kvasir"), general.clone()).unwrap();
        assert_eq!(again.specialists().collect::<Vec<_>>(), ["other"]);
        let larger = Weights::initial(&Architecture::standard(3, 16).unwrap(), 1);
        let error = general.with_specialist("kvasir", &set("kvasir"), larger).unwrap_err().to_string();
        assert!(error.contains("b3c16") && error.contains("b2c16"), "{error}");
        let check = |edit: &dyn Fn(&mut BTreeMap<String, Tensor>), expected: &str| {
            let mut tensors = tensors.clone();
            edit(&mut tensors);
            let error = Weights::new(small(), tensors).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(&|t| drop(t.remove("specialist.kvasir.rules")), "`specialist.kvasir.rules` is missing");
        check(&|t| drop(t.remove("specialist.kvasir.value.out.bias")), "`specialist.kvasir.value.out.bias` is missing");
        check(&|t| drop(t.insert("specialist.kvasir.rules".to_owned(), Tensor::zeros(vec![3]))), "dimensions [3]");
        check(
            &|t| drop(t.insert("specialist.kvasir.x".to_owned(), Tensor::zeros(vec![3]))),
            "`specialist.kvasir.x` does",
        );
        check(&|t| drop(t.insert("specialist.a b.x".to_owned(), Tensor::zeros(vec![3]))), "`specialist.a b.x` does");
        check(&|t| t.get_mut("specialist.kvasir.rules").unwrap()[0] = f32::NAN, "not finite");
    }

    #[test]
    fn tensors_in_another_layout_are_brought_into_the_standard_one() {
        let weights = Weights::initial(&small(), 1);
        let mut tensors = weights.tensors.clone();
        let hidden = tensors.get_mut("value.hidden.weight").unwrap();
        *hidden = hidden.t().as_standard_layout().into_owned().reversed_axes();
        assert!(!hidden.is_standard_layout());
        let read = Weights::new(small(), tensors).unwrap();
        let id = crate::Residual::standard(2, 16).unwrap().layers().value.hidden.weight;
        assert_eq!(read.values().get(id), weights.values().get(id));
        assert_eq!(read.hash(), weights.hash());
    }
}
