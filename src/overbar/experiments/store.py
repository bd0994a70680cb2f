"""Finished blocks, kept in a folder: a file each, named by what was played.

A file is written whole or not at all. Its name is a digest of everything that the block's result
depends on, the source code of the simulator and the policies included, so a block of another
version is never found; and it carries a digest of its own content, so a torn file is recognised,
and the block is played again.
"""

import hashlib
import os
from collections.abc import Iterable
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import numpy as np

from overbar.errors import InvalidInput, OverbarError
from overbar.problem import Problem
from overbar.simulate.blocks import Block, Played
from overbar.simulate.sources import code_digest


def key(block: Block) -> str:
    """Return a digest of all that the block's result depends on."""
    problem = block.problem
    said = (
        *(code_digest(), _arms(problem), problem.threshold, problem.indifference),
        *(type(block.policy).__qualname__, block.policy, block.rounds),
        *(block.budget, block.seed, block.repetitions, block.at),
    )
    return hashlib.sha256(repr(said).encode()).hexdigest()


@lru_cache
def _arms(problem: Problem) -> str:
    return repr(problem.arms)


class Store:
    """A folder of finished blocks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            trial = folder / f".trial{os.getpid()}"
            trial.touch()
            trial.unlink()
        except OSError as error:
            raise InvalidInput(
                "the folder", str(folder), "one that can be written to", f"{error.strerror}."
            ) from None

    def find(self, blocks: Iterable[Block]) -> dict[Block, Played]:
        """Return what is kept of these blocks."""
        found = ((block, self._read(block)) for block in blocks)
        return {block: played for block, played in found if played is not None}

    def keep(self, block: Block, played: Played) -> None:
        """Keep a finished block."""
        content = BytesIO()
        counted = played._asdict().items()
        small = {name: each.astype(np.min_scalar_type(int(each.max()))) for name, each in counted}
        np.savez(content, **small)
        data = content.getvalue()
        path = self._path(block)
        part = path.with_suffix(f".part{os.getpid()}")
        try:
            part.write_bytes(hashlib.sha256(data).digest() + data)
            part.replace(path)
        except OSError as error:
            raise OverbarError(
                f"Cannot keep a finished block in {self.folder}: {error.strerror}."
                " Make room for it; the same command then goes on from what is kept."
            ) from None
        finally:
            part.unlink(missing_ok=True)

    def _read(self, block: Block) -> Played | None:
        try:
            content = self._path(block).read_bytes()
        except FileNotFoundError:
            return None
        digest, data = content[:32], content[32:]
        if hashlib.sha256(data).digest() != digest:
            return None
        with np.load(BytesIO(data), allow_pickle=False) as kept:
            return Played(*(kept[name].astype(np.int64) for name in Played._fields))

    def _path(self, block: Block) -> Path:
        return self.folder / f"{key(block)}.block"
