"""View-models against numbers found by hand."""
