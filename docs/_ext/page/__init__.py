"""What makes the parts of a page."""
