//! The tensors of a net: names, sizes and initial values.

/// One trained tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name in files, such as `trunk.block0.pointwise.weight`.
    pub name: String,
    /// Dimensions, outermost first. Data is row-major. A bias has one dimension.
    pub dims: Vec<usize>,
    /// Standard deviation of the initial values. It is 0 for a bias.
    pub initial_scale: f32,
}

impl Parameter {
    /// Number of elements.
    #[expect(clippy::len_without_is_empty, reason = "no tensor of a net is empty")]
    pub fn len(&self) -> usize {
        self.dims.iter().product()
    }

    /// The initial values for training. They depend only on the parameter and `seed`.
    pub fn initial_values(&self, seed: u64) -> Vec<f32> {
        if self.initial_scale == 0.0 {
            return vec![0.0; self.len()];
        }
        let mut stream = Normal::new(seed, &self.name);
        (0..self.len()).map(|_| self.initial_scale * stream.next()).collect()
    }
}

/// A parameter's place in the order of the forward pass.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub struct ParameterId(usize);

impl ParameterId {
    /// The index, from 0.
    pub fn index(self) -> usize {
        self.0
    }
}

/// The size of a layer's initial weights.
#[derive(Copy, Clone, Debug)]
pub enum Start {
    /// He's: the square root of 2 / inputs.
    He,
    /// Small, for the last layer of a block in a trunk with this number of blocks.
    Branch(usize),
    /// A tenth of He's, for a layer before an output.
    Output,
    /// He's times a factor.
    Scaled(f32),
}

impl Start {
    fn scale(self, fan_in: usize) -> f32 {
        let he = (2.0 / fan_in as f32).sqrt();
        match self {
            Start::He => he,
            Start::Branch(n_blocks) => 0.3 * he / (n_blocks as f32).sqrt(),
            Start::Output => 0.1 * he,
            Start::Scaled(factor) => factor * he,
        }
    }
}

/// A dense layer on rows of values, or on the channels of each square (a 1×1 convolution).
#[derive(Copy, Clone, Debug)]
pub struct Linear {
    /// `[outputs, inputs]`.
    pub weight: ParameterId,
    /// `[outputs]`. A layer that computes a bias has none itself.
    pub bias: Option<ParameterId>,
    /// Length of an input row.
    pub inputs: usize,
    /// Length of an output row.
    pub outputs: usize,
}

/// Parameters that are collected layer by layer.
#[derive(Clone, Debug, Default)]
pub struct Parameters(Vec<Parameter>);

impl Parameters {
    /// All parameters so far.
    pub fn into_vec(self) -> Vec<Parameter> {
        self.0
    }

    /// Adds the parameters of a dense layer or 1×1 convolution.
    pub fn linear(&mut self, name: &str, [outputs, inputs]: [usize; 2], start: Start) -> Linear {
        let weight = self.weight(name, &[outputs, inputs], start);
        Linear { weight, bias: Some(self.bias(name, outputs)), inputs, outputs }
    }

    /// Adds the weights of a layer that computes a bias.
    pub fn linear_without_bias(&mut self, name: &str, [outputs, inputs]: [usize; 2], start: Start) -> Linear {
        Linear { weight: self.weight(name, &[outputs, inputs], start), bias: None, inputs, outputs }
    }

    /// Adds values that are not the matrix of a layer, for example one vector for each kind of square, with this standard
    /// deviation at the start. They have one dimension, so they do not decay, and `AdamW` trains them.
    pub fn values(&mut self, name: &str, len: usize, initial_scale: f32) -> ParameterId {
        self.push(Parameter { name: name.to_owned(), dims: vec![len], initial_scale })
    }

    /// Adds the parameters of a convolution along a line, five squares wide.
    pub fn line_convolution(&mut self, name: &str, width: usize, start: Start) -> Linear {
        let weight = self.weight(name, &[width, 5, width], start);
        Linear { weight, bias: Some(self.bias(name, width)), inputs: 5 * width, outputs: width }
    }

    fn weight(&mut self, name: &str, dims: &[usize], start: Start) -> ParameterId {
        let initial_scale = start.scale(dims[1..].iter().product());
        self.push(Parameter { name: format!("{name}.weight"), dims: dims.to_vec(), initial_scale })
    }

    fn bias(&mut self, name: &str, outputs: usize) -> ParameterId {
        self.push(Parameter { name: format!("{name}.bias"), dims: vec![outputs], initial_scale: 0.0 })
    }

    fn push(&mut self, parameter: Parameter) -> ParameterId {
        self.0.push(parameter);
        ParameterId(self.0.len() - 1)
    }
}

/// Normal variates from a counter-based generator with seed and tensor name as its key. So a tensor's values do not
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

    fn next(&mut self) -> f32 {
        let mut bytes = [0; 16];
        self.reader.fill(&mut bytes);
        let unit = |half: &[u8]| {
            let bits = u64::from_le_bytes(half.try_into().expect("eight bytes")) >> 11;
            (bits as f64 + 0.5) / (1_u64 << 53) as f64
        };
        let (radius, angle) = (unit(&bytes[..8]), unit(&bytes[8..]));
        ((-2.0 * libm::log(radius)).sqrt() * libm::cos(std::f64::consts::TAU * angle)) as f32
    }
}
