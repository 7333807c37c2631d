"""Arrays in one file: safetensors, written so that a crash leaves the old file whole, mapped when read."""
