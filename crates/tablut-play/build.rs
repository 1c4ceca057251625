//! Sets the cfg `shipped_net` if the file of the shipped net exists.

use std::path::Path;

fn main() {
    let net = Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("all-rules.tablut");
    println!("cargo::rustc-check-cfg=cfg(shipped_net)");
    println!("cargo::rerun-if-changed={}", net.display());
    if net.is_file() {
        println!("cargo::rustc-cfg=shipped_net");
    }
}
