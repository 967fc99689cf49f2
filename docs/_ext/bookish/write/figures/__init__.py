"""What a reader takes along from a figure: its data, its files, its words and its credit."""
