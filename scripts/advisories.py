#!/usr/bin/env python3
"""Makes the offline copy of the advisories for the libraries of a release, dist/src/advisories/advisories.json.

    mvn -Dquick verify && scripts/advisories.py    from OSV, which has those of GitHub's database: needs a network
    scripts/advisories.py SOURCE                   from files in the format of OSV: a zip of them, or a directory, such as a clone
                                                 of the repository github/advisory-database

The libraries are those of the SBOM that the build makes, and those of ALSO. Needs Python 3.9 or newer, and nothing else.
"""

import argparse
import io
import json
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OSV = "https://osv-vulnerabilities.storage.googleapis.com/Maven/all.zip"
LICENCE = "CC-BY-4.0, which OSV and GitHub's advisory database have; shortened to what the check needs"
# No jars of a release: a library inside a jar of the driver, and what AdvisoriesTest checks the copy with.
ALSO = ["com.google.guava:guava", "io.netty:netty-codec-http2", "org.lz4:lz4-java"]


def libraries(sbom):
    """The names, as group:artifact, of what an SBOM lists, without our own modules."""
    components = json.loads(sbom.read_text(encoding="utf-8"))["components"]
    return {c["group"] + ":" + c["name"] for c in components if c["group"] != "io.overdrive"}


def records(source):
    """The texts of all records of a zip or a directory."""
    if source.is_dir():
        for file in sorted(source.rglob("*.json")):
            yield file.read_bytes()
    else:
        yield from zipped(zipfile.ZipFile(source))


def zipped(archive):
    for name in archive.namelist():
        if name.endswith(".json"):
            yield archive.read(name)


def ranges(affected):
    """The affected versions, as pairs of the first one and the end, which is left out if there is none."""
    found = []
    for each in affected.get("ranges", []):
        if each["type"] == "ECOSYSTEM":
            for event in each["events"]:
                if "introduced" in event:
                    found.append({"introduced": event["introduced"]})
                else:
                    found[-1].update((name, event[name]) for name in ("fixed", "last_affected") if name in event)
    # GitHub has this beside the range if no version is known to be repaired.
    last = affected.get("database_specific", {}).get("last_known_affected_version_range", "").split()
    if found and len(found[-1]) == 1 and len(last) == 2:
        found[-1]["last_affected" if last[0] == "<=" else "fixed"] = last[1]
    return found or [{"introduced": version, "last_affected": version} for version in affected.get("versions", [])]


def advisories(record, names):
    """What a record says of these libraries, one entry for each."""
    found = {}
    for affected in record.get("affected", []):
        package = affected.get("package", {})
        if package.get("ecosystem") == "Maven" and package["name"] in names:
            found.setdefault(package["name"], []).extend(ranges(affected))
    return [
        {
            "id": record["id"],
            "aliases": record.get("aliases", []),
            "package": name,
            "ranges": found[name],
            "severity": record.get("database_specific", {}).get("severity", "UNKNOWN"),
            "summary": record.get("summary", ""),
            "modified": record["modified"][:10],
        }
        for name in sorted(found)
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", type=Path)
    parser.add_argument("--sbom", type=Path, help="default: that of the last build, in dist/target")
    parser.add_argument("--output", type=Path, default=ROOT / "dist/src/advisories/advisories.json")
    arguments = parser.parse_args()
    sboms = [arguments.sbom] if arguments.sbom else list((ROOT / "dist/target").glob("*.cdx.json"))
    if len(sboms) != 1:
        parser.error(f"{len(sboms)} SBOMs in dist/target: make one with mvn -Dquick clean verify, or name it by --sbom")
    names = libraries(sboms[0]).union(ALSO)
    if arguments.source:
        texts = records(arguments.source)
    else:
        texts = zipped(zipfile.ZipFile(io.BytesIO(urllib.request.urlopen(OSV).read())))
    newest = ""
    found = []
    for text in texts:
        record = json.loads(text)
        if "modified" not in record:
            continue  # not a record of OSV
        newest = max(newest, record["modified"][:10])
        if "withdrawn" not in record:
            found.extend(advisories(record, names))
    if not newest:
        parser.error(f"no advisory in {arguments.source}")
    found.sort(key=lambda each: (each["package"], each["id"]))
    head = {"date": newest, "source": "OSV and GitHub", "licence": LICENCE, "packages": sorted(names)}
    lines = json.dumps(head, indent=2)[:-2] + ',\n  "advisories": [\n'
    lines += ",\n".join("    " + json.dumps(each, ensure_ascii=False) for each in found) + "\n  ]\n}\n"
    arguments.output.write_text(lines, encoding="utf-8")
    print(f"{arguments.output}: {len(found)} advisories for {len(names)} libraries, as of {newest}")


if __name__ == "__main__":
    main()
