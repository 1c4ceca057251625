//! What can be wrong with a net, a batch or a model file.

use std::path::PathBuf;

use tablut_rules::shown;

/// An error about a net's architecture, weights, inputs or file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// A short name that cannot be read or is out of range.
    #[error(
        "net shape `{}`: expected b<blocks>c<channels> such as b6c64, with 1 to 64 blocks and a multiple of 16 from 16 to 512 channels",
        shown(.0)
    )]
    ArchitectureName(String),
    /// An architecture that cannot be read or is out of range.
    #[error("architecture: {}", shown(.0))]
    Architecture(String),
    /// A tensor that the architecture calls for is not there.
    #[error("tensor `{0}` is missing")]
    MissingTensor(String),
    /// A tensor that the architecture does not know.
    #[error("tensor `{name}` does not belong to a net of shape {1}", name = shown(.0))]
    UnknownTensor(String, String),
    /// A tensor of other dimensions than the architecture calls for.
    #[error("tensor `{name}` has dimensions {found:?}, expected {expected:?}")]
    Dimensions {
        /// The tensor's name.
        name: String,
        /// What the file or caller gave.
        found: Vec<usize>,
        /// What the architecture calls for.
        expected: Vec<usize>,
    },
    /// A weight that is infinite or not a number.
    #[error("tensor `{0}` holds a value that is not finite")]
    NotFinite(String),
    /// An input batch whose arrays do not fit each other.
    #[error("input batch has {found} {what}, expected {expected}")]
    Batch {
        /// Which array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that the number of rows calls for.
        expected: usize,
    },
    /// Something that only one implementation of [`crate::Inference`] can say.
    #[error("{0}")]
    Inference(String),
}

/// An error about a model file, naming the file.
#[derive(Debug, thiserror::Error)]
#[error("model file {path}: {kind}")]
pub struct ModelFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub kind: ModelFileErrorKind,
}

/// What can be wrong with a model file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFileErrorKind {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The bytes are no safetensors file, or not all of one.
    #[error("not a complete safetensors file ({})", shown(.0))]
    Format(String),
    /// The bytes are something else, by the look of them.
    #[error("no model file; it seems to be {0}")]
    OtherKind(&'static str),
    /// A key of the metadata is missing.
    #[error("metadata key `{0}` is missing; was it written by tablut?")]
    MissingKey(&'static str),
    /// A key of the metadata has a value that cannot be read.
    #[error("metadata key `{key}`: {}", shown(reason))]
    BadKey {
        /// The key.
        key: &'static str,
        /// What was expected and found.
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
    /// The weights do not have the hash that the metadata states.
    #[error("damaged: the weights' hash is {found}, the file says {}", shown(expected))]
    Hash {
        /// Hash of the tensors read.
        found: String,
        /// Hash in the metadata.
        expected: String,
    },
    /// The metadata does not have the checksum that it states.
    #[error("damaged: the metadata's checksum does not match")]
    Metadata,
    /// The tensors do not make the net that the metadata states.
    #[error(transparent)]
    Net(#[from] NetError),
}
