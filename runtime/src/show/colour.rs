//! Colours of values in pictures: maps that keep their order for the colour-blind and in print.

/// A map from values to colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Map {
    /// From black to white, as a photograph.
    Grey { low: f64, high: f64 },
    /// From dark blue over green to yellow (matplotlib's viridis), of equal steps to the eye.
    Sequential { low: f64, high: f64 },
    /// From blue over white at 0 to orange, for values of both signs.
    Diverging { reach: f64 },
}

/// Values that are no number, or infinite.
pub(crate) const NOT_FINITE: [u8; 3] = [204, 0, 204];

/// Every eighth of viridis, from matplotlib's `_cm_listed.py` (CC0).
const VIRIDIS: [[f64; 3]; 9] = [
    [68.0, 1.0, 84.0],
    [71.0, 44.0, 122.0],
    [59.0, 81.0, 139.0],
    [44.0, 113.0, 142.0],
    [33.0, 144.0, 141.0],
    [39.0, 173.0, 129.0],
    [92.0, 200.0, 99.0],
    [170.0, 220.0, 50.0],
    [253.0, 231.0, 37.0],
];

impl Map {
    /// Diverging if there are values of both signs, else `one_sign`'s choice.
    pub(crate) fn of(low: f64, high: f64, one_sign: impl FnOnce(f64, f64) -> Self) -> Self {
        if low < 0.0 && high > 0.0 { Self::Diverging { reach: high.max(-low) } } else { one_sign(low, high) }
    }

    /// A photograph's.
    pub(crate) fn grey(low: f64, high: f64) -> Self {
        Self::Grey { low, high }
    }

    /// A heat map's.
    pub(crate) fn sequential(low: f64, high: f64) -> Self {
        Self::Sequential { low, high }
    }

    /// The values at its two ends.
    pub(crate) fn ends(self) -> (f64, f64) {
        match self {
            Self::Grey { low, high } | Self::Sequential { low, high } => (low, high),
            Self::Diverging { reach } => (-reach, reach),
        }
    }

    /// A value's colour.
    pub(crate) fn colour(self, value: f64) -> [u8; 3] {
        if !value.is_finite() {
            return NOT_FINITE;
        }
        let (low, high) = self.ends();
        let part = if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
        match self {
            Self::Grey { .. } => [(part * 255.0) as u8; 3],
            Self::Sequential { .. } => between(&VIRIDIS, part),
            Self::Diverging { .. } => {
                between(&[[0.0, 90.0, 160.0], [120.0, 178.0, 218.0], [250.0; 3], [238.0, 158.0, 94.0], [190.0, 74.0, 0.0]], part)
            }
        }
    }
}

/// The colour at `part` of the way through `stops`.
fn between(stops: &[[f64; 3]], part: f64) -> [u8; 3] {
    let at = part * (stops.len() - 1) as f64;
    let (from, rest) = ((at as usize).min(stops.len() - 2), at.fract());
    let rest = if at as usize > from { 1.0 } else { rest };
    std::array::from_fn(|channel| (stops[from][channel] + (stops[from + 1][channel] - stops[from][channel]) * rest).round() as u8)
}

/// A colour as SVG and HTML write it.
pub(crate) fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Black or white, whichever reads on `colour` (ITU-R BT.601's luma).
pub(crate) fn ink([red, green, blue]: [u8; 3]) -> &'static str {
    let luma = 0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue);
    if luma > 140.0 { "#111111" } else { "#ffffff" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_middles_have_their_colours() {
        let map = Map::of(0.0, 2.0, Map::sequential);
        assert_eq!([map.colour(0.0), map.colour(1.0), map.colour(2.0)], [[68, 1, 84], [33, 144, 141], [253, 231, 37]]);
        let map = Map::of(-2.0, 1.0, Map::sequential);
        assert_eq!([map.colour(0.0), map.colour(-2.0)], [[250; 3], [0, 90, 160]]);
        assert_eq!(map.colour(f64::NAN), NOT_FINITE);
        assert_eq!(Map::grey(3.0, 3.0).colour(3.0), [127; 3]);
        assert_eq!((hex([255, 0, 10]), ink([250; 3]), ink([0, 90, 160])), ("#ff000a".to_owned(), "#111111", "#ffffff"));
    }
}
