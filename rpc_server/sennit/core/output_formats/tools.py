"""What the tools of agents do, by the names and inputs under which agents call them."""

from __future__ import annotations

from sennit.core.agent_events import ToDoSet, ToolUpdated
from sennit.core.output_formats.fields import (
    array,
    first_text,
    mapping,
    readable_json,
    text,
)
from sennit_protocol.agents import ToDoEntry, ToDoStatus, ToolKind, ToolStatus

_LONGEST_TITLE = 200

_KINDS = {
    ToolKind.READ: "read readfile readmanyfiles readmediafile view cat notebookread",
    ToolKind.EDIT: (
        "edit write multiedit notebookedit writefile editfile replace strreplacefile "
        "strreplace patch applypatch createfile"
    ),
    ToolKind.SEARCH: (
        "grep glob ls list find search listdirectory listdir searchfilecontent grepsearch "
        "ripgrep codesearch findfiles"
    ),
    ToolKind.EXECUTE: "bash shell runshellcommand execute terminal exec powershell cmd",
    ToolKind.FETCH: "webfetch websearch fetch fetchurl searchweb googlewebsearch",
    ToolKind.THINK: (
        "think task agent todowrite todoread writetodos settodolist todolist savememory skill "
        "updatetopic todo taskcreate taskupdate tasklist taskget taskstop toolsearch"
    ),
    ToolKind.SWITCH_MODE: "exitplanmode enterplanmode planexit planenter",
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_PATHS = ("file_path", "filePath", "path", "absolute_path", "notebook_path", "dir_path")
_TELLING = (*_PATHS, "command", "cmd", "pattern", "query", "url", "description", "prompt")
_TO_DO = {
    "in_progress": ToDoStatus.IN_PROGRESS,
    "completed": ToDoStatus.COMPLETED,
    "done": ToDoStatus.COMPLETED,
}


def kind_of(name: str) -> ToolKind:
    """Tell what a tool of this name does; `other` where nobody knows."""
    return _KIND_OF.get(name.replace("_", "").replace("-", "").casefold(), ToolKind.OTHER)


def called(call: str, name: str, given: object, status: ToolStatus | None = None) -> ToolUpdated:
    """Tell of the call of a tool by its name and input; with a ``status`` it may be known."""
    told = " ".join(first_text(given, *_TELLING).split())
    title = f"{name}: {told}" if told else name
    path = first_text(given, *_PATHS)
    return ToolUpdated(
        call,
        title=title[:_LONGEST_TITLE],
        kind=kind_of(name),
        status=status or ToolStatus.IN_PROGRESS,
        paths=(path,) if path else (),
        begins=status is None,
    )


def ended(call: str, *, failed: bool) -> ToolUpdated:
    """Tell of the end of a call."""
    return ToolUpdated(call, status=ToolStatus.FAILED if failed else ToolStatus.COMPLETED)


def arguments_of(written: object) -> object:
    """Read the input of a call, which some formats give as JSON within JSON."""
    if not isinstance(written, str):
        return written
    try:
        return readable_json(written)
    except (ValueError, RecursionError):
        return None


def to_do_in(given: object) -> tuple[ToDoSet, ...]:
    """Give the plan that the input of a tool for plans holds, in whichever of the known forms."""
    entries = [mapping(entry) for entry in array(given, "todos")]
    told = tuple(
        ToDoEntry(words, _TO_DO.get(text(entry, "status"), ToDoStatus.PENDING))
        for entry in entries
        if (words := first_text(entry, "content", "title", "description", "text"))
    )
    return (ToDoSet(told),) if told else ()
