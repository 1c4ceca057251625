//! Intel's matrix registers: eight tiles of sixteen rows of 64 bytes, and products of bf16 tiles.
//!
//! Rust has no stable intrinsics for them, so the few instructions are written in assembly.

use std::arch::asm;
use std::arch::x86_64::__cpuid_count;

/// Rows of weights in a tile: pairs of inputs.
const WEIGHT_ROWS: u8 = 16;
/// Bytes in a row of a tile.
const ROW_BYTES: u16 = 64;

/// Whether the processor has tiles and bf16 tile products, and the system lets this process use them.
pub(super) fn request() -> bool {
    // Leaf 7: bits 22 and 24 of EDX are AMX-BF16 and AMX-TILE.
    let leaf = __cpuid_count(7, 0);
    let wanted = 1 << 22 | 1 << 24;
    leaf.edx & wanted == wanted
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bf16")
        && cfg!(target_os = "linux")
        && permitted()
}

/// Asks Linux for the tile registers. Their state is large, so programs get them only on request.
fn permitted() -> bool {
    const ARCH_PRCTL: i64 = 158;
    const REQUEST_PERMISSION: i64 = 0x1023;
    const TILE_DATA: i64 = 18;
    let result: i64;
    // SAFETY: the call reads and writes no memory of ours; the kernel changes rcx and r11 besides rax, as declared.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => result,
            in("rdi") REQUEST_PERMISSION,
            in("rsi") TILE_DATA,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result == 0
}

/// The layout of the tiles, as `ldtilecfg` reads it.
#[repr(C, align(64))]
struct Config {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

/// Sets the tile layout of the calling thread: 0 to 3 are sums and 4 and 5 activations of `rows` rows; 6 and 7 are
/// weights.
///
/// # Safety
///
/// [`request`] has returned true; `rows` is 1 to 16.
pub(super) unsafe fn configure(rows: usize) {
    let mut config = Config { palette: 1, start_row: 0, reserved: [0; 14], row_bytes: [0; 16], rows: [0; 16] };
    for tile in 0..8 {
        config.row_bytes[tile] = ROW_BYTES;
        config.rows[tile] = if tile < 6 { rows as u8 } else { WEIGHT_ROWS };
    }
    // SAFETY: the processor and the system allow tiles; `config` is a valid layout of 64 bytes.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const config, options(nostack, readonly)) };
}

/// Releases the tiles, so that the system need not save them with the thread.
///
/// # Safety
///
/// [`request`] has returned true.
pub(super) unsafe fn release() {
    // SAFETY: the processor and the system allow tiles.
    unsafe { asm!("tilerelease", options(nostack, nomem)) };
}

/// The addresses of one block of 2×2 tiles.
pub(super) struct Block {
    /// The first row of each of the two tiles of activations, before the steps' offsets are added.
    pub rows: [*const u16; 2],
    /// Bytes from one row of activations to the next.
    pub row_stride: usize,
    /// For each step, the bytes to add to both addresses. There is at least one step.
    pub offsets: *const usize,
    pub n_steps: usize,
    /// For each step two tiles of weights, one after the other.
    pub weights: *const u16,
    /// The sums: the rows of the first tile, then those of the second, each of 32 f32.
    pub sums: *mut f32,
    /// Bytes of one tile's rows of sums.
    pub tile_bytes: usize,
}

/// Sums the products of all steps.
///
/// # Safety
///
/// [`configure`] was called on this thread with the number of rows that `block` is laid out for. Every address that the
/// block leads to is inside buffers that may be read, and those of the sums may be written.
pub(super) unsafe fn multiply(block: &Block) {
    // SAFETY: the caller's contract; only tiles, the scratch registers named here and the sums are written.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "2:",
            "mov {t}, qword ptr [{offsets}]",
            "lea {u}, [{first} + {t}]",
            "tileloadd tmm4, [{u} + {stride}*1]",
            "tileloadd tmm6, [{weights} + {line}*1]",
            "tdpbf16ps tmm0, tmm4, tmm6",
            "tileloadd tmm7, [{weights} + {line}*1 + 1024]",
            "tdpbf16ps tmm1, tmm4, tmm7",
            "add {t}, {second}",
            "tileloadd tmm5, [{t} + {stride}*1]",
            "tdpbf16ps tmm2, tmm5, tmm6",
            "tdpbf16ps tmm3, tmm5, tmm7",
            "add {offsets}, 8",
            "add {weights}, 2048",
            "dec {n}",
            "jnz 2b",
            "shl {line}, 1",
            "tilestored [{sums} + {line}*1], tmm0",
            "tilestored [{sums} + {line}*1 + 64], tmm1",
            "add {sums}, {tile}",
            "tilestored [{sums} + {line}*1], tmm2",
            "tilestored [{sums} + {line}*1 + 64], tmm3",
            t = out(reg) _,
            u = out(reg) _,
            first = in(reg) block.rows[0],
            second = in(reg) block.rows[1],
            stride = in(reg) block.row_stride,
            offsets = inout(reg) block.offsets => _,
            n = inout(reg) block.n_steps => _,
            weights = inout(reg) block.weights => _,
            line = inout(reg) usize::from(ROW_BYTES) => _,
            sums = inout(reg) block.sums => _,
            tile = in(reg) block.tile_bytes,
            options(nostack),
        );
    }
}
