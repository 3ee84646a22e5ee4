"""Decides, touches nothing: pure functions and frozen values."""
