"""The description of a field, where the generators of schema and reference page find it.

What one key means in every type that has it is said here, once.
"""

from __future__ import annotations

DESCRIPTION = "description"


def says(description: str) -> dict[str, str]:
    """Metadata for ``attrs.field`` that carries the field's description."""
    return {DESCRIPTION: description}


TICKET = says("Id of a ticket, from `sennit/dispatch`, `sennit/follow` or `sennit/tickets`.")
TASK = says("Id of a task of the ticket, as its call named it; `ID-again` where it is done again.")
RUN = says("Id of a run: `runs` of a task lists them, `sennit/run` and `sennit/output` take it.")
RUN_OR_LAST = says("Id of a run of the task; its last one unless said.")
PROPOSAL = says("Id of a proposal; it stays the same through all of its revisions.")
UNIT = says("Id of a unit of a revision; `units` of `sennit/decide` takes it.")
QUESTION = says("Id of a question of the task; `sennit/answer` takes it.")
APPLICATION = says("Id of an application: `sennit/apply` makes it, `sennit/undo` takes it.")
AGENT = says("Name of its agent, as `sennit/agents` lists it.")
LABEL_OF_TASK = says("The `description` of its task: a label for people.")
LABEL_OF_CALL = says("The `label` of its call: a name for people.")
ANSWER = says(
    "One of the `options` of the question, letter for letter; any text where it has none."
)

SHOWN_PATH = says(
    "Relative to the repository's top level, for people: what is not UTF-8 or not printable is "
    "escaped."
)
FILE_URI = says("`file:` URI of it in the user's work tree; exact for every name.")
IN_FOLDER = says(
    "`file:` URI or absolute path of a folder: only what is in a repository at, above or below it."
)
FILES = says("How many files it changes.")
LINES_ADDED = says("How many lines it adds.")
LINES_REMOVED = says("How many lines it takes out.")
NOTICES = says("What a person should know of it.")
SEQUENCE = says("Grows with every change of it; every `since` is compared with it.")
OFFSET = says("How many to leave out at the beginning; 0 unless said.")
