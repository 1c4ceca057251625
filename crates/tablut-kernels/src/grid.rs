//! The size of an image.

/// The size of an image, in squares.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Grid {
    height: usize,
    width: usize,
}

impl Grid {
    /// A grid of `height` × `width` squares.
    ///
    /// # Panics
    /// If a side is 0 or above 65,535.
    pub const fn new(height: usize, width: usize) -> Grid {
        assert!(height > 0 && width > 0, "a grid has squares");
        assert!(height <= u16::MAX as usize && width <= u16::MAX as usize, "the sides of a grid are at most 65,535");
        Grid { height, width }
    }

    /// Rows of squares.
    pub const fn height(self) -> usize {
        self.height
    }

    /// Squares in a row.
    pub const fn width(self) -> usize {
        self.width
    }

    /// Number of squares.
    pub const fn squares(self) -> usize {
        self.height * self.width
    }
}
