//! The Jupyter side of Footlight.
