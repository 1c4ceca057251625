//! Pictures as SVG that take their colours from the page: charts and boards. Each says in a title what it shows.

mod board;
mod chart;

pub use board::{board_symbols, board_view};
pub use chart::{Axis, Series, bar, calibration_plot, line_chart, whiskers};
