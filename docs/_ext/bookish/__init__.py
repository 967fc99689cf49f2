"""What makes an executable book of Sphinx and MyST-NB, whatever it is about: runs, checks, pages, site."""
