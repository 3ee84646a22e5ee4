"""Effects: each carries out one command of the engine and gives the one event that ends it."""
