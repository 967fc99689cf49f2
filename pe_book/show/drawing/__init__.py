"""How a frame of named columns becomes a figure or a table."""
