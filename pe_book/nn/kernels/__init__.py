"""What the functions and modules for tensors compute with."""
