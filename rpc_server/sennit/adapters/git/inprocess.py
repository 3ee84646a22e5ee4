"""Objects of a store read and written in this process, by libgit2: the fast path.

Only for what libgit2 does exactly as git does: whole objects by id. What it cannot open (SHA-256,
some extensions) or does not find (blobs of a partial clone) is ``NotHere``, and the caller asks
git itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread
from attrs import frozen

from sennit.adapters.git.raw_trees import (
    Folders,
    Item,
    Sides,
    differences,
    items_of,
    ordered_items_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    import pygit2

    from sennit.adapters.git.store import Store

    Answer = TypeVar("Answer")

_SHA1_SIZE = 20
# How libgit2 numbers the types of objects, which are git's own numbers in packs.
_COMMIT, _TREE, _BLOB = 1, 2, 3

_MOST_TREES = 4_096
_trees: dict[str, frozenset[Item]] = {}
"""Tree objects that were compared, by id, which names a content: a batch of merges compares each of
its trees many times. What was read once needs not be there any more."""


@frozen
class NotHere:
    """libgit2 cannot answer; git may."""

    why: str


@frozen
class Objects:
    """The objects of one open store; for one thread and one piece of work."""

    repository: pygit2.Repository
    database: pygit2.Odb

    def read(self, identity: str) -> bytes:
        """Give the bytes of an object; KeyError where it is not here."""
        _, data = self.database.read(identity)
        return bytes(data)

    def items(self, identity: str) -> list[Item]:
        """Give the entries of a tree object as they lie there."""
        return ordered_items_of(self.read(identity), _SHA1_SIZE)

    def folders(self, tree: str) -> Folders:
        """Give the folders of a tree; those that were compared lately are not read again."""
        return Folders(lambda one: _trees.get(one) or self.items(one), tree)

    def differences(self, old: str, new: str) -> dict[bytes, Sides]:
        """Give what two trees hold at every path that differs, without looking for renames."""
        return dict(differences(self._compared, old, new))

    def _compared(self, tree: str) -> frozenset[Item]:
        found = _trees.get(tree)
        if found is None:
            if len(_trees) >= _MOST_TREES:
                _trees.clear()
            found = _trees[tree] = items_of(self.read(tree), _SHA1_SIZE)
        return found

    def write_blob(self, data: bytes) -> str:
        """Store a blob and give its id; one that is there already costs only the look."""
        return str(self.database.write(_BLOB, data))

    def write_tree(self, data: bytes) -> str:
        """Store a tree object."""
        return str(self.database.write(_TREE, data))

    def write_commit(self, data: bytes) -> str:
        """Store a commit object."""
        return str(self.database.write(_COMMIT, data))


async def with_objects(store: Store, work: Callable[[Objects], Answer]) -> Answer | NotHere:
    """Do work on the objects of a store in a worker thread."""
    if store.object_format != "sha1":
        return NotHere(f"libgit2 does not read {store.object_format}")
    return await anyio.to_thread.run_sync(_work, str(store.git_dir), work)


async def is_there(store: Store, identity: str) -> bool:
    """Tell whether the store is known to hold an object; False where libgit2 cannot tell."""
    found = await with_objects(store, lambda objects: bool(objects.read(identity) or True))
    return found is True


def _work(git_dir: str, work: Callable[[Objects], Answer]) -> Answer | NotHere:
    # Imported with the first piece of work, for a server has to be ready long before that.
    import pygit2  # noqa: PLC0415

    try:
        repository = pygit2.Repository(git_dir)
        return work(Objects(repository, repository.odb))
    except (KeyError, pygit2.GitError) as error:
        return NotHere(str(error))
    except OSError as error:
        # A full disk, a file that cannot be read: git says of which file.
        return NotHere(str(error))
    except RecursionError:
        return NotHere("its folders lie deeper than this process goes down")
