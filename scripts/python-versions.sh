#!/usr/bin/env bash
# Runs the tests of the Python package with each Python that it supports, and that is on the path as python3.10 and so on, with the newest
# libraries that have wheels for it (requirements.txt of the tests). With NODE, also the tests against a node, for which overdrive has to be on
# the path. Fails if a test does, or if no Python is found.
#     scripts/python-versions.sh                          all versions
#     NODE=127.0.0.1:9042 scripts/python-versions.sh 3.10 3.14
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd -P)
tests=$root/dist/src/test/python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1
passed=() failed=() missing=()

check() {
    "python$1" -m venv "$work/$1" &&
        "$work/$1/bin/python" -m pip install --quiet --disable-pip-version-check -r "$tests/requirements.txt" &&
        "$work/$1/bin/python" -m unittest discover -s "$tests" &&
        { [ -z "${NODE:-}" ] || "$work/$1/bin/python" "$tests/node_tests.py"; }
}

[ $# -gt 0 ] || set -- 3.10 3.11 3.12 3.13 3.14
for version; do
    if ! "python$version" -c 'import ensurepip, venv' 2>/dev/null; then
        missing+=("$version")
        continue
    fi
    echo "Python $("python$version" -c 'import platform; print(platform.python_version())'):"
    if check "$version"; then passed+=("$version"); else failed+=("$version"); fi
    rm -rf "${work:?}/$version"
done
echo "passed: ${passed[*]:-none}; failed: ${failed[*]:-none}; not on the path with venv and pip: ${missing[*]:-none}"
[ ${#failed[@]} = 0 ] && [ ${#passed[@]} -gt 0 ]
