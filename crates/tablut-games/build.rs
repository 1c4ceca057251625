//! Tells the compiler where the shipped net is, if it is there to be built in.

use std::fs;
use std::path::Path;

fn main() {
    let folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let link = Path::new(&folder).join("all-rules.tablut");
    println!("cargo::rustc-check-cfg=cfg(shipped_net)");
    println!("cargo::rerun-if-changed={}", link.display());
    // On Windows git may write a link as a text file with its target. A net is no text.
    let net = fs::read_to_string(&link).map_or(link, |target| Path::new(&folder).join(target.trim()));
    if net.is_file() {
        println!("cargo::rustc-cfg=shipped_net");
        println!("cargo::rustc-env=TABLUT_SHIPPED_NET={}", net.display());
    }
}
