// The search, loaded with its index when somebody opens it; and the window of a glossary term.
