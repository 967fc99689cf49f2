"""What runs the cells of a page and follows them as code; what the build records and refuses."""
