//! PNG pictures of pixels.

/// An 8-bit RGB picture's bytes as a PNG file; empty if it can't be written.
pub(crate) fn rgb(width: usize, height: usize, pixels: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(pixels));
    if written.is_err() { Vec::new() } else { bytes }
}
