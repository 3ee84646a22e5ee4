"""The parts of `adapters.processes`: what a run is, its folder on disk, its events, its end."""
