"""What the letters of each chapter stand for, by which its formulas are tried."""
