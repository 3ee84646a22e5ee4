"""Makes the folders in which tasks work, by what the machine can do, and keeps what is reusable."""
