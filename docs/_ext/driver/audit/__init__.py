"""`make audit`: what the built site weighs and asks for, whom it keeps out, and where its links lead."""
