//! Where a graph's boxes stand: a layered drawing after Sugiyama, Tagawa and Toda (1981). Layers are given; here boxes are ordered within
//! them so that few edges cross, and moved sideways so that edges are straight.
//!
//! An edge over several layers gets a point in each, which takes room as a narrow box does, so that it runs around boxes and not under.
//!
//! Must not know: what the boxes stand for.

/// Room between two boxes of a layer, and beside an edge's point.
const GAP: f64 = 16.0;
/// Room that an edge takes where it passes a layer.
const LANE: f64 = 6.0;
/// Sweeps down and up over all layers; more changes nothing that can be seen.
const SWEEPS: usize = 8;

/// Boxes in their places.
#[derive(Debug)]
pub(super) struct Placed {
    /// Each box's middle, from the left edge of the drawing.
    pub(super) middles: Vec<f64>,
    /// Each edge's middles, one for every layer from its start to its end.
    pub(super) ways: Vec<Vec<f64>>,
    /// The drawing's width.
    pub(super) width: f64,
}

/// A box or an edge's point.
#[derive(Debug)]
struct Stop {
    layer: usize,
    width: f64,
    x: f64,
    /// A point must not move for a box: straight long edges are what makes a drawing calm.
    weight: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

/// Places boxes of these widths and layers; every edge leads to a higher layer.
pub(super) fn place(widths: &[f64], layers: &[usize], edges: &[(usize, usize)]) -> Placed {
    let mut stops: Vec<Stop> = widths
        .iter()
        .zip(layers)
        .map(|(&width, &layer)| Stop { layer, width, x: 0.0, weight: 1.0, above: Vec::new(), below: Vec::new() })
        .collect();
    let mut chains = Vec::with_capacity(edges.len());
    for &(from, to) in edges {
        let mut chain = vec![from];
        for layer in layers[from] + 1..layers[to] {
            stops.push(Stop { layer, width: LANE, x: 0.0, weight: 4.0, above: Vec::new(), below: Vec::new() });
            chain.push(stops.len() - 1);
        }
        chain.push(to);
        for pair in chain.windows(2) {
            stops[pair[0]].below.push(pair[1]);
            stops[pair[1]].above.push(pair[0]);
        }
        chains.push(chain);
    }
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); layers.iter().max().map_or(0, |last| last + 1)];
    for (stop, at) in stops.iter().enumerate() {
        rows[at.layer].push(stop);
    }
    order(&stops, &mut rows);
    straighten(&mut stops, &rows);
    let left = stops.iter().map(|stop| stop.x - stop.width / 2.0).fold(f64::INFINITY, f64::min);
    let right = stops.iter().map(|stop| stop.x + stop.width / 2.0).fold(f64::NEG_INFINITY, f64::max);
    let x = |stop: usize| stops[stop].x - left;
    Placed {
        middles: (0..widths.len()).map(x).collect(),
        ways: chains.iter().map(|chain| chain.iter().map(|&stop| x(stop)).collect()).collect(),
        width: if right > left { right - left } else { 0.0 },
    }
}

/// Sorts each row by where its neighbours stand, again and again, and keeps the order with the fewest crossings.
fn order(stops: &[Stop], rows: &mut [Vec<usize>]) {
    let mut position = vec![0.0f64; stops.len()];
    let note = |rows: &[Vec<usize>], position: &mut [f64]| {
        for row in rows {
            for (at, &stop) in row.iter().enumerate() {
                position[stop] = at as f64;
            }
        }
    };
    note(rows, &mut position);
    let mut best = (crossings(stops, rows, &position), rows.to_vec());
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        for at in 0..rows.len() {
            let row = &mut rows[if down { at } else { best.1.len() - 1 - at }];
            let wish = |stop: usize| {
                let near = if down { &stops[stop].above } else { &stops[stop].below };
                if near.is_empty() {
                    position[stop]
                } else {
                    near.iter().map(|&near| position[near]).sum::<f64>() / near.len() as f64
                }
            };
            row.sort_by(|&a, &b| wish(a).total_cmp(&wish(b)));
            for (at, &stop) in row.iter().enumerate() {
                position[stop] = at as f64;
            }
        }
        let now = crossings(stops, rows, &position);
        if now < best.0 {
            best = (now, rows.to_vec());
        }
    }
    rows.clone_from_slice(&best.1);
}

/// Pairs of edges between neighbouring layers that cross.
fn crossings(stops: &[Stop], rows: &[Vec<usize>], position: &[f64]) -> usize {
    rows.iter()
        .map(|row| {
            let ends: Vec<(f64, f64)> = row
                .iter()
                .flat_map(|&stop| stops[stop].below.iter().map(move |&below| (position[stop], position[below])))
                .collect();
            let crossed = |&(a, b): &(f64, f64)| ends.iter().filter(|&&(c, d)| a < c && b > d).count();
            ends.iter().map(crossed).sum::<usize>()
        })
        .sum()
}

/// Moves each row's stops as near to their neighbours as their order and widths allow.
fn straighten(stops: &mut [Stop], rows: &[Vec<usize>]) {
    for sweep in 0..2 * SWEEPS {
        let down = sweep % 2 == 0;
        for at in 0..rows.len() {
            let row = &rows[if down { at } else { rows.len() - 1 - at }];
            let wishes: Vec<f64> = row
                .iter()
                .map(|&stop| {
                    let near = if down { &stops[stop].above } else { &stops[stop].below };
                    if near.is_empty() {
                        stops[stop].x
                    } else {
                        near.iter().map(|&near| stops[near].x).sum::<f64>() / near.len() as f64
                    }
                })
                .collect();
            settle(stops, row, &wishes);
        }
    }
}

/// The places nearest to `wishes`, in the sense of least squares, that keep a row's order and gaps: less each stop's least distance from
/// the row's start, that is isotonic regression, which pooling neighbours that disagree solves exactly.
fn settle(stops: &mut [Stop], row: &[usize], wishes: &[f64]) {
    let mut least = 0.0;
    let mut leasts = Vec::with_capacity(row.len());
    // Pools of stops: the sum of weighted wishes, the weight, how many.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (at, &stop) in row.iter().enumerate() {
        if at > 0 {
            least += GAP + f64::midpoint(stops[row[at - 1]].width, stops[stop].width);
        }
        leasts.push(least);
        let weight = stops[stop].weight;
        pools.push(((wishes[at] - least) * weight, weight, 1));
        while let [.., (sum, weight, count), last] = pools[..]
            && sum / weight > last.0 / last.1
        {
            pools.truncate(pools.len() - 2);
            pools.push((sum + last.0, weight + last.1, count + last.2));
        }
    }
    let places = pools.iter().flat_map(|&(sum, weight, count)| std::iter::repeat_n(sum / weight, count));
    for ((&stop, place), least) in row.iter().zip(places).zip(leasts) {
        stops[stop].x = place + least;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_chain_is_straight_and_a_long_edge_passes_beside_it() {
        let placed = place(&[60.0; 3], &[0, 1, 2], &[(0, 1), (1, 2), (0, 2)]);
        let passing = placed.ways[2][1];
        assert!((passing - placed.middles[1]).abs() >= 30.0 + GAP, "{placed:?}");
    }

    #[test]
    fn crossed_edges_are_uncrossed() {
        let placed = place(&[50.0; 4], &[0, 0, 1, 1], &[(0, 3), (1, 2)]);
        assert_eq!(placed.middles[0] < placed.middles[1], placed.middles[3] < placed.middles[2], "{placed:?}");
        assert!((placed.middles[0] - placed.middles[3]).abs() < 1.0, "{placed:?}");
    }

    proptest! {
        #[test]
        fn boxes_of_a_layer_never_overlap(layers in prop::collection::vec(0usize..5, 1..24), seeds in prop::collection::vec((0usize..24, 0usize..24), 0..40)) {
            let widths: Vec<f64> = layers.iter().enumerate().map(|(at, _)| 40.0 + (at * 37 % 90) as f64).collect();
            let edges: Vec<(usize, usize)> = seeds
                .into_iter()
                .map(|(a, b)| (a % layers.len(), b % layers.len()))
                .filter(|&(a, b)| layers[a] < layers[b])
                .collect();
            let placed = place(&widths, &layers, &edges);
            for a in 0..layers.len() {
                prop_assert!(placed.middles[a] - widths[a] / 2.0 >= -1e-6 && placed.middles[a] + widths[a] / 2.0 <= placed.width + 1e-6);
                for b in 0..a {
                    if layers[a] == layers[b] {
                        prop_assert!((placed.middles[a] - placed.middles[b]).abs() + 1e-6 >= f64::midpoint(widths[a], widths[b]) + GAP);
                    }
                }
            }
        }
    }
}
