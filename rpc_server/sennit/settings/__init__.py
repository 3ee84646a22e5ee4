"""Settings: one table of keys, one reader of all the places that a key can be set in."""
