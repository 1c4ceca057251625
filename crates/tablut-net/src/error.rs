//! Errors of nets, batches and model files.

use std::path::PathBuf;

use tablut_rules::shown;

/// An error about a net's architecture, weights, inputs or file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum NetError {
    #[error("net shape `{}`: expected one like lines32x2 (32, 64, 96 or 128 channels; 1 to 8 blocks)", shown(.0))]
    ArchitectureName(String),
    #[error("architecture: {}", shown(.0))]
    Architecture(String),
    #[error(
        "{} is a residual net, which programs up to commit 47e35559 read: train or use a net of lines such as lines32x2",
        shown(.0)
    )]
    Residual(String),
    #[error("a net with specialists (other weights for some rule sets), which programs up to commit 47e35559 read")]
    Specialists,
    #[error("tensor `{0}` is missing")]
    MissingTensor(String),
    #[error("tensor `{name}` does not belong to a net of shape {1}", name = shown(.0))]
    UnknownTensor(String, String),
    #[error("tensor `{name}` has dimensions {found:?}, expected {expected:?}")]
    Dimensions { name: String, found: Vec<usize>, expected: Vec<usize> },
    #[error("tensor `{0}` holds a value that is not finite")]
    NotFinite(String),
    #[error("input batch has {found} {what}, expected {expected}")]
    Batch { what: &'static str, found: usize, expected: usize },
    #[error("device `{}`: expected cpu, gpu:0 (or another number) or auto", shown(.0))]
    DeviceName(String),
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
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum ModelFileErrorKind {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("not a complete safetensors file ({})", shown(.0))]
    Format(String),
    #[error("not a model file; it seems to be {0}")]
    OtherKind(&'static str),
    #[error("metadata key `{0}` is missing; was it written by tablut?")]
    MissingKey(&'static str),
    #[error("metadata key `{key}`: {}", shown(reason))]
    BadKey { key: &'static str, reason: String },
    #[error("{what} version {}, this program reads version {expected}", shown(found))]
    Version { what: &'static str, found: String, expected: u32 },
    #[error("damaged: the weights' hash is {found}, expected {}", shown(expected))]
    Hash { found: String, expected: String },
    #[error("damaged: the metadata's checksum does not match")]
    Metadata,
    #[error(transparent)]
    Net(#[from] NetError),
}
