"""What was measured at length elsewhere, in JSON, and whether it was measured on what stands here now."""
