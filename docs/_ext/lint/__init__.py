"""What refuses a number, a held statement or a label that nothing stands behind."""
