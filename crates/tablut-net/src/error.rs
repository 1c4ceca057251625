//! Errors of nets, batches and model files.

use std::path::PathBuf;

use tablut_rules::shown;

/// An error about a net's architecture, weights, inputs or file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// A short name that cannot be read or is out of range.
    #[error("net shape `{}`: expected one like lines32x2 (32, 64, 96 or 128 channels; 1 to 8 blocks)", shown(.0))]
    ArchitectureName(String),
    /// An architecture that cannot be read or is out of range.
    #[error("architecture: {}", shown(.0))]
    Architecture(String),
    /// A residual net, of a file or config of an earlier version.
    #[error(
        "{} is a residual net, which programs up to commit 47e35559 read: train or use a net of lines such as lines32x2",
        shown(.0)
    )]
    Residual(String),
    /// A net with other weights for some rule sets, of a file of an earlier version.
    #[error("a net with specialists (other weights for some rule sets), which programs up to commit 47e35559 read")]
    Specialists,
    /// A tensor of the architecture is missing.
    #[error("tensor `{0}` is missing")]
    MissingTensor(String),
    /// A tensor does not belong to the architecture.
    #[error("tensor `{name}` does not belong to a net of shape {1}", name = shown(.0))]
    UnknownTensor(String, String),
    /// A tensor does not have the dimensions that the architecture requires.
    #[error("tensor `{name}` has dimensions {found:?}, expected {expected:?}")]
    Dimensions {
        /// The tensor's name.
        name: String,
        /// The dimensions in the file or from the caller.
        found: Vec<usize>,
        /// The dimensions that the architecture requires.
        expected: Vec<usize>,
    },
    /// A weight that is infinite or not a number.
    #[error("tensor `{0}` holds a value that is not finite")]
    NotFinite(String),
    /// The arrays of an input batch do not fit together.
    #[error("input batch has {found} {what}, expected {expected}")]
    Batch {
        /// The array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length required by the number of rows.
        expected: usize,
    },
    /// A device's name that cannot be read.
    #[error("device `{}`: expected cpu, gpu:0 (or another number) or auto", shown(.0))]
    DeviceName(String),
    /// An error of one implementation of [`crate::Inference`].
    #[error("{0}")]
    Inference(String),
}

/// An error in a model file, with the file's name.
#[derive(Debug, thiserror::Error)]
#[error("model file {path}: {kind}")]
pub struct ModelFileError {
    /// The file.
    pub path: PathBuf,
    /// The error.
    pub kind: ModelFileErrorKind,
}

/// The kinds of errors in a model file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFileErrorKind {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The bytes are not a safetensors file, or only a part of one.
    #[error("not a complete safetensors file ({})", shown(.0))]
    Format(String),
    /// The bytes seem to be another kind of file.
    #[error("not a model file; it seems to be {0}")]
    OtherKind(&'static str),
    /// A key of the metadata is missing.
    #[error("metadata key `{0}` is missing; was it written by tablut?")]
    MissingKey(&'static str),
    /// A key of the metadata has a value that cannot be read.
    #[error("metadata key `{key}`: {}", shown(reason))]
    BadKey {
        /// The key.
        key: &'static str,
        /// What was expected and what was found.
        reason: String,
    },
    /// The file was written by another version of the format or of the encoding.
    #[error("{what} version {}, this program reads version {expected}", shown(found))]
    Version {
        /// `format` or `encoding`.
        what: &'static str,
        /// The file's version.
        found: String,
        /// This program's version.
        expected: u32,
    },
    /// The weights do not have the hash in the metadata.
    #[error("damaged: the weights' hash is {found}, expected {}", shown(expected))]
    Hash {
        /// Hash of the tensors read.
        found: String,
        /// Hash in the metadata.
        expected: String,
    },
    /// The metadata does not have its own checksum.
    #[error("damaged: the metadata's checksum does not match")]
    Metadata,
    /// The tensors do not match the architecture in the metadata.
    #[error(transparent)]
    Net(#[from] NetError),
}
