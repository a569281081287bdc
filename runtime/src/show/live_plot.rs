//! A plot that grows while a cell runs, redrawn in its place.

use super::plot::{Plot, plot};
use super::{Bundle, DisplayId, Show, display_id, update_display};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// It is drawn at most this often, so that drawing never slows a training loop.
const REDRAW: Duration = Duration::from_millis(150);

/// Plots with points that are not drawn yet; the end of the cell draws them.
static PENDING: Mutex<Vec<Weak<Mutex<Drawing>>>> = Mutex::new(Vec::new());

/// A plot that grows while a cell runs: it is shown when made and drawn anew, at most some times a second, as numbers are pushed, and
/// when the cell ends.
#[derive(Clone, Debug)]
pub struct LivePlot(Arc<Mutex<Drawing>>);

#[derive(Debug)]
struct Drawing {
    plot: Plot,
    id: DisplayId,
    drawn: Instant,
    pending: bool,
}

impl LivePlot {
    /// Shows an empty plot with a series for each name.
    #[must_use]
    pub fn new(title: impl Into<String>, names: &[&str]) -> Self {
        Self::shown(title.into(), names)
    }

    fn shown(title: String, names: &[&str]) -> Self {
        let plot = names.iter().fold(plot().title(title).labels("step", ""), |plot, name| plot.empty_line(name));
        let id = display_id(&plot);
        Self(Arc::new(Mutex::new(Drawing { plot, id, drawn: Instant::now(), pending: false })))
    }

    /// Adds a point to each series: the step, and a value for each name.
    ///
    /// # Panics
    /// With a typed error if there are not as many values as series.
    #[track_caller]
    pub fn push(&mut self, step: usize, values: &[f64]) {
        let mut drawing = lock(&self.0);
        let series = drawing.plot.series.len();
        if values.len() != series {
            drop(drawing);
            crate::error::Error::new(
                crate::error::ErrorKind::Shape,
                format!("push of {} values to a plot of {series} series", values.len()),
            )
            .advise("give a value for each name that the plot was made with")
            .raise();
        }
        for (series, &value) in drawing.plot.series.iter_mut().zip(values) {
            series.points.push((step as f64, value));
        }
        if drawing.drawn.elapsed() >= REDRAW {
            drawing.draw();
        } else if !drawing.pending {
            drawing.pending = true;
            PENDING.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&self.0));
        }
    }
}

impl Drawing {
    fn draw(&mut self) {
        update_display(&self.id, &self.plot);
        self.drawn = Instant::now();
        self.pending = false;
    }
}

// The last points are shown when the plot goes, as at the end of a block.
impl Drop for Drawing {
    fn drop(&mut self) {
        if self.pending {
            self.draw();
        }
    }
}

impl Show for LivePlot {
    fn show(&self) -> Bundle {
        lock(&self.0).plot.show()
    }
}

fn lock(drawing: &Mutex<Drawing>) -> MutexGuard<'_, Drawing> {
    drawing.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draws what was pushed and not yet drawn: at the end of a cell.
pub(crate) fn draw_pending() {
    let pending = std::mem::take(&mut *PENDING.lock().unwrap_or_else(PoisonError::into_inner));
    for drawing in pending.iter().filter_map(Weak::upgrade) {
        let mut drawing = lock(&drawing);
        if drawing.pending {
            drawing.draw();
        }
    }
}
