"""The commands: builds, the site that they make, and what looks at it."""
