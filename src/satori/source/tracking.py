"""Whether git tracks anything in a directory, asked of git once for each state of its index.

The answers are kept in memory by the index file's stamp; nothing is written and nothing else is remembered.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable

from satori.source.reading import Stamp, stamp_of
from satori.source.repository import Repository, tracked_directories

_MOST = 64
_lock = threading.Lock()
_answers: dict[str, tuple[Stamp, dict[str, bool]]] = {}


def tracks(repository: Repository | None, directories: Iterable[str]) -> set[str]:
    """Those of `directories` (absolute, in the repository's work tree) that hold a tracked file.

    Without a repository, or when git cannot be asked, there are none.
    """
    if repository is None:
        return set()
    index = repository.git_directory + "/index"
    try:
        stamp = stamp_of(os.stat(index))  # noqa: PTH116
    except OSError:
        return set()
    wanted = list(directories)
    with _lock:
        kept, known = _answers.get(index, (stamp, {}))
        if kept != stamp:
            known = {}
        unknown = [directory for directory in wanted if directory not in known]
    if unknown:
        found = tracked_directories(repository, unknown)
        with _lock:
            known = known | {directory: directory in found for directory in unknown}
            if len(_answers) >= _MOST:
                _answers.clear()
            _answers[index] = (stamp, known)
    return {directory for directory in wanted if known[directory]}
