"""What an author of an adapter must know of the agents; seen in raw lines, not read."""

from __future__ import annotations

TRAPS = """\
- **claude** goes on trying after a 401, with growing pauses and an event for each; only the limit
  of silence (`task.idleMs`) ends it, once a pause is longer than that.
- **codex** puts no helper programs below the folder for temporary files: with its home there,
  every command fails with `execvp codex-linux-sandbox: No such file or directory` and the turn
  ends as completed. Its own sandbox works inside ours, and leaves the temporary folder writable.
  Over ACP it ends seven seconds after its input.
- **codex** and **pi** send words of their own as the agent's: a warning about an unknown model, a
  line with the version. **gemini** answers `session/set_mode` with the words
  `[MODE_UPDATE] autoEdit`.
- **gemini** names the file of a session after the minute in which it began, and empties it when
  the session is opened again within that minute: the follow-up begins anew, and says so.
- **gemini** exits with 145 after a 401 (the status, cut to a byte), and keeps to its folder by
  itself, without a question.
- **kimi** and **qwen** headless, **pi** and **mini** always, write outside their folder unasked; so
  does **qwen** over ACP in the mode `auto-edit`. In the mode `acceptEdits` **claude** asks.
- **opencode** started twice at the same moment in one home folder may find its database locked and
  exit with 1.
- **pi** over ACP ends a turn that failed with `end_turn` and says nothing.
- **qwen** tells its usage over ACP in `_meta.usage` of empty message chunks, one for each call of
  the model. It asks its client things that are not in the protocol
  (`craft/drainMidTurnQueue`), and one of its lines has more than half a megabyte.
- **aider** has no tool for commands, and exits with 0 whatever the model answered.
"""
