"""The source code that a result depends on."""

import hashlib
from functools import cache
from pathlib import Path

# Whose code decides on a result's bits.
ROOMS = ("problem", "policies", "simulate", "theory.py", "sequences.py")


@cache
def code_digest() -> str:
    """Return a digest of the source code that a result depends on."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for room in ROOMS:
        path = root / room
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(f"{file.relative_to(root).as_posix()}\0".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()
