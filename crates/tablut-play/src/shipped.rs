//! The net that comes with the program, so that it plays without a file.

/// The shipped net in the repository. The crate has a link to it, so that a package of the crate has the file.
pub const SHIPPED_NET: &str = "models/all-rules.tablut";

/// The bytes of the shipped net's model file; none where the program was built from a tree without it.
pub fn shipped_net() -> Option<&'static [u8]> {
    #[cfg(shipped_net)]
    return Some(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/all-rules.tablut")));
    #[cfg(not(shipped_net))]
    return None;
}
