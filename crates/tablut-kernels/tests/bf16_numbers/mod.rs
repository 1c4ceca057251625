//! The kernels in bf16 that this machine can test, and numbers that bf16 represents exactly.

use tablut_kernels::Bf16Kernels;

/// The kernels without the registers, and those with them if the machine has them.
pub fn all_kernels() -> Vec<Bf16Kernels> {
    let registers = Bf16Kernels::request();
    if registers.is_none() {
        eprintln!("skipped for the matrix registers: this machine has no AMX");
    }
    [Bf16Kernels::without_registers()].into_iter().chain(registers).collect()
}

/// `len` numbers in -1..1 that bf16 represents exactly, computed from `seed`.
pub fn numbers(len: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 56) as f32 / 128.0 - 1.0
    };
    (0..len).map(|_| next()).collect()
}
