"""Data sets of the Hugging Face Hub, at one commit (extra `hub`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from redline.errors import UserError

PREFIX = "hf://"
INSTALL = "pip install 'redline-bench[hub]'"
_ADDRESS = re.compile(
    r"hf://(?P<repo>[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(@(?P<revision>[A-Za-z0-9][\w./-]*))?"
)


@dataclass(frozen=True)
class Snapshot:
    """A data set's files at a commit. `address` names them for ever: hf://OWNER/NAME@COMMIT.
    The folder's files may be links to elsewhere below `store`."""

    folder: Path
    store: Path
    address: str


def parse_address(address: str) -> tuple[str, str | None]:
    """`OWNER/NAME` and the revision, if any, of `hf://OWNER/NAME[@REVISION]`. Raises UserError."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise UserError(
            f"{address!a} is no address of a data set. Write hf://OWNER/NAME or "
            "hf://OWNER/NAME@REVISION."
        )
    return found["repo"], found["revision"]


def snapshot(address: str, patterns: tuple[str, ...] = ()) -> Snapshot:
    """Fetch a data set (only files that fit one of `patterns`, if there are any), or take it from
    the Hub's own cache. Without a revision the branch `main` is taken as it is now; either way the
    commit is found out and part of the answer. Raises UserError."""
    repo, revision = parse_address(address)
    try:
        import huggingface_hub
    except ImportError as e:
        raise UserError(f"{address} needs the extra hub: {INSTALL}.") from e
    try:
        where = huggingface_hub.snapshot_download(
            repo, repo_type="dataset", revision=revision, allow_patterns=list(patterns) or None
        )
    except Exception as e:
        # The library's errors have no common base, and what they say is what the user must know.
        said = (str(e).strip().splitlines() or [type(e).__name__])[0].rstrip(".")
        raise UserError(
            f"The data set {address} can't be fetched: {said}. Check the name and the network; a "
            "gated one needs HF_TOKEN."
        ) from e
    folder = Path(where)
    # A snapshot's folder is called by its commit: STORE/snapshots/COMMIT.
    if re.fullmatch(r"[0-9a-f]{40}", folder.name) is None:
        raise UserError(f"The commit of {address} can't be told from {folder.name!a}.")
    return Snapshot(folder, folder.parents[1], f"{PREFIX}{repo}@{folder.name}")
