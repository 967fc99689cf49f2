"""The modules that a model would hold."""
