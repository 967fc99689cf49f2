"""`make audit`: what the built pages weigh, and how Lighthouse scores them."""
