"""From view-models to pictures; `theme` holds the colours that every picture shares."""
