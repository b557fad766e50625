"""When jobs run."""
