//! A plot that grows while a cell runs, redrawn in its place.

use super::plot::{Plot, plot};
use super::{DisplayId, display_id, update_display};
use std::time::{Duration, Instant};

/// It is drawn at most this often, so that drawing never slows a training loop.
const REDRAW: Duration = Duration::from_millis(150);

/// A plot that grows while a cell runs: it is shown when made and drawn anew, at most some times a second, as numbers are pushed.
#[derive(Debug)]
pub struct LivePlot {
    plot: Plot,
    id: DisplayId,
    drawn: Instant,
    pending: bool,
}

impl LivePlot {
    /// Shows an empty plot with a series for each name.
    #[must_use]
    pub fn new(title: impl Into<String>, names: &[&str]) -> Self {
        let plot = names.iter().fold(plot().title(title).labels("step", ""), |plot, name| plot.empty_line(name));
        let id = display_id(&plot);
        Self { plot, id, drawn: Instant::now(), pending: false }
    }

    /// Adds a point to each series: the step, and a value for each name.
    pub fn push(&mut self, step: usize, values: &[f64]) {
        for (series, &value) in self.plot.series.iter_mut().zip(values) {
            series.points.push((step as f64, value));
        }
        self.pending = true;
        if self.drawn.elapsed() >= REDRAW {
            self.draw();
        }
    }

    fn draw(&mut self) {
        update_display(&self.id, &self.plot);
        self.drawn = Instant::now();
        self.pending = false;
    }
}

impl Drop for LivePlot {
    // The last points are shown when the plot goes.
    fn drop(&mut self) {
        if self.pending {
            self.draw();
        }
    }
}
