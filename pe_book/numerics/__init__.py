"""The engine below the definitions: exact phases, rounding, certified tables, caches, work in chunks."""
