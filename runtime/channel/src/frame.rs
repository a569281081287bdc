//! Frames: a length in four bytes, little-endian, then that many bytes of JSON.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, Read, Write};

/// The longest frame that either side accepts, in bytes: a length beyond it is a broken stream, not a message.
pub const LONGEST: usize = 1 << 30;

/// Why a frame could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The other side has closed the socket between two frames.
    #[error("the channel is closed")]
    Closed,
    /// The socket failed, or closed within a frame.
    #[error("the channel failed: {0}")]
    Io(#[from] io::Error),
    /// A length that no message has.
    #[error("a frame of {0} bytes; the longest is {LONGEST}")]
    TooLong(usize),
    /// Bytes that are not the message expected, as from another version.
    #[error("a frame that is not a message of this version: {0}")]
    Malformed(#[from] serde_json::Error),
}

/// The bytes of `message` as a frame.
///
/// # Errors
/// [`FrameError::TooLong`] past [`LONGEST`] bytes, [`FrameError::Malformed`] if it has no JSON form.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, FrameError> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message)?;
    let length = bytes.len() - 4;
    if length > LONGEST {
        return Err(FrameError::TooLong(length));
    }
    // LONGEST fits in 32 bits.
    bytes[..4].copy_from_slice(&(length as u32).to_le_bytes());
    Ok(bytes)
}

/// The length that a frame's first four bytes announce.
///
/// # Errors
/// [`FrameError::TooLong`].
pub fn length(header: [u8; 4]) -> Result<usize, FrameError> {
    let length = u32::from_le_bytes(header) as usize;
    if length > LONGEST { Err(FrameError::TooLong(length)) } else { Ok(length) }
}

/// The message in a frame's body.
///
/// # Errors
/// [`FrameError::Malformed`].
pub fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, FrameError> {
    Ok(serde_json::from_slice(body)?)
}

/// Writes one message, whole.
///
/// # Errors
/// As [`encode`], and the socket's.
pub fn write_frame<T: Serialize>(writer: &mut impl Write, message: &T) -> Result<(), FrameError> {
    writer.write_all(&encode(message)?)?;
    Ok(())
}

/// Waits for one message.
///
/// # Errors
/// [`FrameError::Closed`] if the stream ends before a frame begins.
pub fn read_frame<T: DeserializeOwned>(reader: &mut impl Read) -> Result<T, FrameError> {
    let mut header = [0; 4];
    let mut filled = 0;
    while filled < header.len() {
        match reader.read(&mut header[filled..]) {
            Ok(0) if filled == 0 => return Err(FrameError::Closed),
            Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    let mut body = vec![0; length(header)?];
    reader.read_exact(&mut body)?;
    decode(&body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_whole_and_in_order() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &"first").unwrap();
        write_frame(&mut bytes, &vec![1, 2, 3]).unwrap();
        let mut reader = bytes.as_slice();
        assert_eq!(read_frame::<String>(&mut reader).unwrap(), "first");
        assert_eq!(read_frame::<Vec<i32>>(&mut reader).unwrap(), [1, 2, 3]);
        assert!(matches!(read_frame::<String>(&mut reader), Err(FrameError::Closed)));
    }

    #[test]
    fn a_broken_stream_is_an_error_and_never_a_huge_allocation() {
        assert!(matches!(read_frame::<String>(&mut [0xff; 8].as_slice()), Err(FrameError::TooLong(_))));
        assert!(matches!(read_frame::<String>(&mut [3, 0].as_slice()), Err(FrameError::Io(_))));
        assert!(matches!(read_frame::<String>(&mut [1, 0, 0, 0, b'x'].as_slice()), Err(FrameError::Malformed(_))));
    }
}
