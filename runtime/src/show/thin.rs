//! Fewer points that look the same, so that a picture's size does not grow with its data.

/// The first, least, greatest and last point of each stretch that one of `columns` equal columns of `range` holds, in their order: a line
/// through them covers the pixels that a line through all of them does.
pub(super) fn by_column(points: Vec<(f64, f64)>, range: (f64, f64), columns: u32) -> Vec<(f64, f64)> {
    if points.len() <= 4 * columns as usize {
        return points;
    }
    let scale = f64::from(columns) / (range.1 - range.0);
    let column = |point: &(f64, f64)| ((point.0 - range.0) * scale).floor() as i64;
    let mut kept = Vec::new();
    for stretch in points.chunk_by(|a, b| column(a) == column(b)) {
        let by_height = |&a: &usize, &b: &usize| stretch[a].1.total_cmp(&stretch[b].1);
        let least = (0..stretch.len()).min_by(by_height).unwrap_or(0);
        let greatest = (0..stretch.len()).max_by(by_height).unwrap_or(0);
        let mut places = [0, least.min(greatest), least.max(greatest), stretch.len() - 1].to_vec();
        places.dedup();
        kept.extend(places.into_iter().map(|place| stretch[place]));
    }
    kept
}

/// At most `most` of the points, evenly chosen by their order.
pub(super) fn evenly(points: Vec<(f64, f64)>, most: usize) -> Vec<(f64, f64)> {
    let count = points.len();
    if count <= most {
        return points;
    }
    (0..most).map(|at| points[at * count / most]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_keeps_what_its_line_covers() {
        let heights = [1.0, 0.0, 3.0, 2.0, 2.5, 9.0, 5.0, 5.0, 5.0];
        let points = heights.iter().enumerate().map(|(at, &y)| (if at < 5 { 0.1 } else { 1.1 }, y)).collect();
        let kept: Vec<f64> = by_column(points, (0.0, 2.0), 2).into_iter().map(|point| point.1).collect();
        assert_eq!(kept, [1.0, 0.0, 3.0, 2.5, 9.0, 5.0, 5.0]);
    }

    #[test]
    fn few_points_stay() {
        let few = vec![(0.0, 1.0), (0.0, 2.0), (0.0, 3.0)];
        assert_eq!(by_column(few.clone(), (0.0, 1.0), 1), few);
        assert_eq!(evenly(few.clone(), 3), few);
        assert_eq!(evenly(few.clone(), 2), [few[0], few[1]]);
    }
}
