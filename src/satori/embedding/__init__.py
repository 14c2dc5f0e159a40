"""From text to quantised unit vectors, offline by default."""
