"""The state machine of tickets: ``step(state, event)`` gives changed rows and commands, purely."""
