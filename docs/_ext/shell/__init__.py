"""What makes one site of the pages: the shell around them, the map, the search, their texts."""
