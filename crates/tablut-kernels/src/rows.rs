//! Rows inside a slice, as kernels take them.

/// Equal rows inside a slice: row `r` is the values from `r * stride` on.
#[derive(Copy, Clone, Debug)]
pub struct Rows<'a> {
    /// The values.
    pub values: &'a [f32],
    /// From a row's first value to the next row's.
    pub stride: usize,
    /// The number of rows.
    pub count: usize,
}
