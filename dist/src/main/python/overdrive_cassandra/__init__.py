"""Overdrive moves data in and out of Apache Cassandra. This package has its command line and its connector for Spark 4."""

import os
import sys
from pathlib import Path

__all__ = ["main", "overdrive_spark_jar"]

_PACKAGE = Path(__file__).resolve().parent


def overdrive_spark_jar() -> str:
    """The path of the connector for Spark 4: SparkSession.builder.config("spark.jars", overdrive_spark_jar())."""
    return str(_PACKAGE / "spark" / "overdrive-spark-bundle.jar")


def main() -> None:
    """Replaces this process by the command line, with the same arguments. Its launcher finds Java."""
    if os.name != "posix":
        sys.exit("overdrive: the command line needs a POSIX shell: use it on Linux or macOS, or in WSL")
    launcher = _PACKAGE / "home" / "bin" / "overdrive"
    os.execv("/bin/sh", ["/bin/sh", str(launcher), *sys.argv[1:]])
