"""Models and statistics in files: safetensors, replaced as a whole when written, checked when read."""
