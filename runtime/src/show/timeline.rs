//! When what ran: time in kernels from left to right, a row for each line of source, colours by family of ops as in the graph.

use super::graph::family;
use super::numbers::seconds;
use super::staged_source::Source;
use super::svg::{NEUTRAL, Svg};
use crate::profile::Profile;
use std::collections::BTreeMap;

/// Pixels of the whole time.
const WIDE: f64 = 560.0;
const ROW: f64 = 18.0;
/// More lines are left out, the shortest first.
const MOST_ROWS: usize = 24;
/// Runs of one colour that are closer than this are drawn as one, so that a picture of many ops stays small.
const CLOSE: f64 = 0.7;

/// A run of ops of one colour, in seconds from the start.
#[derive(Clone, Copy)]
struct Run {
    from: f64,
    to: f64,
    colour: &'static str,
}

/// Time in kernels, line by line, as a picture with its alt text and width; `None` where nothing ran.
pub(super) fn timeline(source: &Source<'_>, profile: &Profile) -> Option<(String, String, u32)> {
    let total = profile.kernel_seconds();
    if total <= 0.0 {
        return None;
    }
    let scale = WIDE / total;
    let mut rows: BTreeMap<u32, Vec<Run>> = BTreeMap::new();
    let mut now = 0.0;
    for record in &profile.records {
        let run = Run { from: now, to: now + record.seconds, colour: family(record.op) };
        now = run.to;
        let row = rows.entry(record.line(source.label)).or_default();
        match row.last_mut() {
            Some(last) if last.colour == run.colour && (run.from - last.to) * scale < CLOSE => last.to = run.to,
            // Too small to be seen beside its neighbour: the longer one's colour stands for both.
            Some(last) if (run.to - last.from) * scale < CLOSE => last.to = run.to,
            _ => row.push(run),
        }
    }
    let busy = |row: &[Run]| row.iter().map(|run| run.to - run.from).sum::<f64>();
    while rows.len() > MOST_ROWS {
        let shortest = rows.iter().min_by(|a, b| busy(a.1).total_cmp(&busy(b.1))).map(|(&line, _)| line)?;
        rows.remove(&shortest);
    }
    let left = 52.0;
    let height = rows.len() as f64 * ROW + 24.0;
    let width = left + WIDE + 44.0;
    let alt = format!("timeline of {} ops in {} of kernel time", profile.records.len(), seconds(total));
    let mut svg = Svg::new(width, height, &alt);
    for part in 0..=4 {
        let x = left + WIDE * f64::from(part) / 4.0;
        svg.line((x, 0.0), (x, height - 20.0));
        svg.text((x, height - 6.0), 10.0, NEUTRAL, &seconds(total * f64::from(part) / 4.0));
    }
    for (at, (line, runs)) in rows.iter().enumerate() {
        let top = at as f64 * ROW;
        let name = if *line == 0 { "elsewhere".to_owned() } else { format!("line {line}") };
        svg.text_end((left - 6.0, top + 13.0), 10.0, NEUTRAL, &name);
        for run in runs {
            svg.cell((left + run.from * scale, top + 3.0), (((run.to - run.from) * scale).max(0.4), ROW - 6.0), run.colour);
        }
    }
    Some((svg.finish(), alt, width.ceil() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::create::ones;

    #[test]
    fn many_small_ops_make_a_small_picture() {
        let ((), profile) = crate::profile::collect(|| {
            for _ in 0..2000 {
                let _ = (ones([4]) + 1.0).exp();
            }
        });
        let (svg, alt, _) = timeline(&Source { label: file!(), text: "" }, &profile).unwrap();
        assert!(svg.len() < 300_000, "{}", svg.len());
        assert!(alt.starts_with("timeline of 4000 ops"), "{alt}");
    }

    #[test]
    fn nothing_ran() {
        assert!(timeline(&Source { label: "In[1]", text: "" }, &Profile::default()).is_none());
    }
}
