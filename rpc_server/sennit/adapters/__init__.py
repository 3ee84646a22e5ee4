"""Each module or package hides one thing of the outside world."""
