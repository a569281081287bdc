//! PNG pictures of pixels.

/// A picture in the making, 8-bit RGB.
#[derive(Debug)]
pub(crate) struct Pixels {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Pixels {
    /// A picture of one colour.
    pub(crate) fn new(width: usize, height: usize, colour: [u8; 3]) -> Self {
        Self { width, height, bytes: colour.into_iter().cycle().take(3 * width * height).collect() }
    }

    /// Fills a rectangle that lies in the picture.
    pub(crate) fn fill(&mut self, (left, top): (usize, usize), (wide, high): (usize, usize), colour: [u8; 3]) {
        for y in top..top + high {
            let row = 3 * (y * self.width + left);
            for pixel in self.bytes[row..row + 3 * wide].chunks_exact_mut(3) {
                pixel.copy_from_slice(&colour);
            }
        }
    }

    /// The picture as a PNG file; empty if it can't be written, as without any pixel.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&self.bytes));
        if written.is_err() { Vec::new() } else { file }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filled_rectangle_is_read_back() {
        let mut pixels = Pixels::new(4, 3, [9, 9, 9]);
        pixels.fill((1, 2), (2, 1), [1, 2, 3]);
        let file = pixels.encode();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
        let mut read = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut read).unwrap();
        assert_eq!(read, pixels.bytes);
        assert_eq!(read[3 * (2 * 4 + 1)..][..6], [1, 2, 3, 1, 2, 3]);
    }
}
