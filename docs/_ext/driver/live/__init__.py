"""The site whose cells run in the browser."""
