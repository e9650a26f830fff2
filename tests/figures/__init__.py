"""The theme keeps what it promises."""
