"""What a model's config means: its keys, its classes, its layers, the scaling, what is wrong with it."""
