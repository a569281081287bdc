//! Tables of numbers: CSV files, compressed or not.

use crate::error::{Error, ErrorKind, Result};
use crate::tensor::Tensor;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The first bytes of a gzip file (RFC 1952).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The numbers of a CSV file, or of one compressed with gzip, as an f32 tensor of shape `[rows, columns]`.
///
/// A first line without any number is taken for the columns' names and left out. An empty field is NaN.
///
/// # Errors
/// If the file can't be read, a field is not a number, or a row has not as many fields as the first; the last two name the line.
///
/// ```no_run
/// # fn main() -> footlight::error::Result<()> {
/// use footlight::prelude::*;
/// let table = read_csv("data/digits.csv.gz")?;
/// let (pixels, labels) = (table.slice(1, ..64), table.index(1, 64).cast(DType::I64));
/// # Ok(()) }
/// ```
pub fn read_csv(path: impl AsRef<Path>) -> Result<Tensor> {
    read_path(path.as_ref())
}

fn read_path(path: &Path) -> Result<Tensor> {
    let unreadable = |error: std::io::Error| {
        let folder =
            std::env::current_dir().map_or_else(|_| "the working folder".to_owned(), |folder| folder.display().to_string());
        Error::new(ErrorKind::Data, format!("{}: {error}", path.display()))
            .advise(format!("a path that does not begin with / is taken from {folder}"))
    };
    let mut file = BufReader::new(File::open(path).map_err(unreadable)?);
    let compressed = file.fill_buf().map_err(unreadable)?.starts_with(&GZIP);
    let rows = if compressed { rows(&mut MultiGzDecoder::new(file)) } else { rows(&mut file) };
    rows.map_err(|error| Error { message: format!("{}: {}", path.display(), error.message), ..error })
}

/// Reads the rows of an open file.
fn rows(text: &mut dyn Read) -> Result<Tensor> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(text);
    let mut record = csv::ByteRecord::new();
    let (mut values, mut rows, mut columns, mut names) = (Vec::new(), 0, None, false);
    let unreadable = |error: csv::Error| Error::new(ErrorKind::Data, error.to_string());
    while reader.read_byte_record(&mut record).map_err(unreadable)? {
        let line = record.position().map_or(0, csv::Position::line);
        if rows == 0 && !names && record.iter().all(|field| number(field).is_none()) {
            names = true;
            continue;
        }
        let expected = *columns.get_or_insert(record.len());
        if record.len() != expected {
            return Err(Error::new(
                ErrorKind::Data,
                format!("line {line} has {} fields, and the first row {expected}", record.len()),
            )
            .advise("every row needs as many fields"));
        }
        for (column, field) in record.iter().enumerate() {
            let value = if field.is_empty() { Some(f32::NAN) } else { number(field) };
            let Some(value) = value else {
                let field = String::from_utf8_lossy(field);
                return Err(Error::new(
                    ErrorKind::Data,
                    format!("line {line}, column {}: `{field}` is not a number", column + 1),
                )
                .advise("the file must hold numbers alone, but for names of columns in its first line"));
            };
            values.push(value);
        }
        rows += 1;
    }
    if rows == 0 {
        return Err(Error::new(ErrorKind::Data, "the file holds no rows of numbers"));
    }
    Ok(Tensor::from_slice([rows, columns.unwrap_or(0)], &values))
}

fn number(field: &[u8]) -> Option<f32> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn read(text: &str) -> Result<Tensor> {
        rows(&mut text.as_bytes())
    }

    #[test]
    fn rows_and_columns() {
        let table = read("1, 2.5\r\n-3,4e2\n").unwrap();
        assert_eq!((table.shape().to_vec(), table.to_vec::<f32>()), (vec![2, 2], vec![1.0, 2.5, -3.0, 400.0]));
        assert_eq!(read("width,\"height, cm\"\n1,2\n").unwrap().to_vec::<f32>(), [1.0, 2.0]);
        assert!(read("1,\n2,3\n").unwrap().to_vec::<f32>()[1].is_nan());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let message = |text| read(text).unwrap_err().message;
        assert_eq!(message("1,2\n3,x\n"), "line 2, column 2: `x` is not a number");
        assert_eq!(message("a,b\n1,2\n3\n"), "line 3 has 1 fields, and the first row 2");
        assert_eq!(message("a,b\n"), "the file holds no rows of numbers");
        let error = read_csv("no/such.csv").unwrap_err();
        assert!(error.kind == ErrorKind::Data && error.message.starts_with("no/such.csv: "), "{error}");
    }

    #[test]
    fn a_compressed_file_is_known_by_its_first_bytes() {
        let path = std::env::temp_dir().join(format!("footlight-csv-{}.data", std::process::id()));
        let mut encoder = flate2::write::GzEncoder::new(File::create(&path).unwrap(), flate2::Compression::fast());
        encoder.write_all(b"1,2\n3,4\n").unwrap();
        encoder.finish().unwrap();
        let table = read_csv(&path);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(table.unwrap().to_vec::<f32>(), [1.0, 2.0, 3.0, 4.0]);
    }
}
