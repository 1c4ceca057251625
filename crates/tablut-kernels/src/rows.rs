//! Rows inside a slice, as the kernels read them.

/// Rows of equal length inside a slice. Row `r` starts at `r * stride`.
#[derive(Copy, Clone, Debug)]
pub struct Rows<'a> {
    /// The values.
    pub values: &'a [f32],
    /// The distance from a row's first value to that of the next row.
    pub stride: usize,
    /// The number of rows.
    pub count: usize,
}
