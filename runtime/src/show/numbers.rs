//! Numbers for people: values of a table in one common form, durations, bytes, shares, and small bars and curves made of letters,
//! which need no style and take the viewer's own colour.

use crate::dtype::DType;

/// How the numbers of one table are written, so that their points stand below each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// This many digits behind the point.
    Fixed(usize),
    /// Four digits behind the point and an exponent.
    Scientific,
}

impl Format {
    /// The shortest form that tells the finite ones of `values` apart: four significant digits of the largest.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        Self::with_decimals(values, 3)
    }

    /// The same, with `decimals` behind the point where the largest has one digit before it.
    pub(crate) fn with_decimals(values: impl IntoIterator<Item = f64>, decimals: i32) -> Self {
        let (mut largest, mut smallest, mut digits) = (0f64, f64::INFINITY, 0);
        for value in values.into_iter().filter(|value| value.is_finite() && *value != 0.0) {
            largest = largest.max(value.abs());
            smallest = smallest.min(value.abs());
            digits = digits.max(digits_of(value));
        }
        if largest == 0.0 {
            return Self::Fixed(1);
        }
        if !(1e-4..1e8).contains(&largest) || (largest / smallest > 1e7 && smallest < 1e-4) {
            return Self::Scientific;
        }
        let room = decimals - largest.log10().floor() as i32;
        // Enough to tell the smallest from 0, unless it is another order of magnitudes altogether.
        let told = if largest / smallest <= 1e5 { -smallest.log10().floor() as i32 } else { 0 };
        Self::Fixed(digits.min(room.max(told).max(2) as usize).clamp(1, 8))
    }

    /// The number in this form.
    pub(crate) fn write(self, value: f64) -> String {
        match (value.is_finite(), self) {
            (false, _) if value.is_nan() => "NaN".to_owned(),
            (false, _) => if value > 0.0 { "inf" } else { "-inf" }.to_owned(),
            // No number but 0 is written as 0.
            (true, Self::Fixed(digits)) if value != 0.0 && value.abs() < 0.5 * 10f64.powi(-(digits as i32)) => {
                format!("{value:.0e}")
            }
            (true, Self::Fixed(digits)) => format!("{value:.digits$}"),
            (true, Self::Scientific) => format!("{value:.4e}"),
        }
    }
}

/// Digits behind the point that `value` needs, eight at most.
fn digits_of(value: f64) -> usize {
    // An f32 such as 0.1 is not exact as f64, so equality is up to what an f32 holds.
    let close = |digits: usize| {
        let scale = 10f64.powi(digits as i32);
        ((value * scale).round() / scale - value).abs() <= value.abs() * 1e-7
    };
    (0..8).find(|&digits| close(digits)).unwrap_or(8)
}

/// One number by itself: whole numbers as they are, others with four significant digits or so.
pub(crate) fn short(value: f64) -> String {
    if !value.is_finite() { "–".to_owned() } else { Format::of([value]).write(value) }
}

/// A value of a tensor by itself: a truth or a whole number where the dtype has no others.
pub(crate) fn element(value: f64, dtype: DType) -> String {
    match dtype {
        _ if !value.is_finite() || dtype.is_float() => short(value),
        DType::Bool => (value != 0.0).to_string(),
        _ => format!("{value:.0}"),
    }
}

/// A number beside an axis of this span: whole where it is, without zeros that say nothing.
pub(crate) fn tick(value: f64, span: f64) -> String {
    if !value.is_finite() {
        return Format::Fixed(0).write(value);
    }
    // A step that should meet 0 misses it by rounding, in proportion to the span; small numbers of a small span are no such misses.
    if value.abs() <= span * 1e-9 {
        return "0".to_owned();
    }
    let whole = value.round();
    if (value - whole).abs() < 1e-9 * whole.abs() && whole.abs() < 1e8 {
        return format!("{whole:.0}");
    }
    let written = short(value);
    match written.split_once('e') {
        Some((digits, exponent)) => format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.')),
        None => written,
    }
}

/// Seconds in the unit that reads best.
pub(crate) fn seconds(value: f64) -> String {
    match value {
        v if v >= 1.0 => format!("{v:.2} s"),
        v if v >= 1e-3 => format!("{:.2} ms", v * 1e3),
        v if v >= 1e-6 => format!("{:.1} µs", v * 1e6),
        // A sum of nothing is -0.0; a whole number has no such zero.
        v => format!("{} ns", (v * 1e9).round() as i64),
    }
}

/// Bytes in the unit that reads best.
pub(crate) fn bytes(value: u64) -> String {
    const UNITS: [&str; 4] = ["B", "kB", "MB", "GB"];
    let mut amount = value as f64;
    let mut unit = 0;
    while amount >= 1000.0 && unit + 1 < UNITS.len() {
        amount /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{value} B") } else { format!("{amount:.1} {}", UNITS[unit]) }
}

/// A share as per cent; small but not nothing is told.
pub(crate) fn percent(share: f64) -> String {
    match 100.0 * share {
        p if p > 0.0 && p < 0.5 => "<1 %".to_owned(),
        p => format!("{} %", p.round() as i64),
    }
}

/// A share as a bar of at most eight blocks.
pub(crate) fn bar(share: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * 64.0).round() as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// A histogram as letters of different heights, the highest count full.
pub(crate) fn curve(counts: &[usize]) -> String {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    // What is there, if little, stands above what is not.
    let height = |count: usize| if count == 0 { 0 } else { (1.0 + 6.0 * count as f64 / most).round() as usize };
    counts.iter().map(|&count| HEIGHTS[height(count)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_one_form() {
        let written =
            |values: &[f64]| values.iter().map(|&value| Format::of(values.iter().copied()).write(value)).collect::<Vec<_>>();
        assert_eq!(written(&[1.0, 2.0]), ["1.0", "2.0"]);
        assert_eq!(written(&[1.0, -2.5, 3.25]), ["1.00", "-2.50", "3.25"]);
        assert_eq!(written(&[f64::from(0.1f32), 10.0]), ["0.1", "10.0"]);
        assert_eq!(written(&[0.123_456, 1.0]), ["0.123", "1.000"]);
        assert_eq!(written(&[12345.678, 1.5]), ["12345.68", "1.50"]);
        assert_eq!(written(&[0.04, 1000.5]), ["0.04", "1000.50"]);
        assert_eq!(written(&[1e-3, 123_456.78]), ["1e-3", "123456.78"]);
        assert_eq!(written(&[1e-9, 2e-9]), ["1.0000e-9", "2.0000e-9"]);
        assert_eq!(written(&[f64::NAN, f64::NEG_INFINITY, 0.0]), ["NaN", "-inf", "0.0"]);
    }

    #[test]
    fn what_is_whole_has_no_point() {
        assert_eq!([element(0.0, DType::I64), element(1.0, DType::Bool), element(0.0, DType::F32)], ["0", "true", "0.0"]);
        assert_eq!([tick(50.0, 100.0), tick(0.25, 1.0), tick(-1e-17, 1.0), tick(1.2e9, 2e9)], ["50", "0.25", "0", "1.2e9"]);
        assert_eq!([tick(1e-10, 0.0), tick(3e6, 5e6)], ["1e-10", "3000000"]);
        assert_eq!([tick(f64::NAN, 1.0), tick(f64::NEG_INFINITY, f64::INFINITY), tick(0.0, 0.0)], ["NaN", "-inf", "0"]);
    }

    #[test]
    fn units_read_well() {
        assert_eq!([seconds(2.5), seconds(0.0123), seconds(4.2e-6), seconds(5e-9)], ["2.50 s", "12.30 ms", "4.2 µs", "5 ns"]);
        assert_eq!([bytes(12), bytes(1500), bytes(2_000_000)], ["12 B", "1.5 kB", "2.0 MB"]);
        assert_eq!([seconds(-0.0), percent(-0.0)], ["0 ns", "0 %"]);
        assert_eq!([percent(0.0), percent(0.001), percent(0.5)], ["0 %", "<1 %", "50 %"]);
        assert_eq!([bar(0.0), bar(1.0), bar(0.5)], ["", "████████", "████"]);
        assert_eq!(curve(&[0, 1, 100]), "▁▂█");
    }
}
