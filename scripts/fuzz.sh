#!/bin/sh
# Searches for input that breaks a parser: runs each fuzz test for a time, with inputs that Jazzer makes from the stored ones by
# what they execute. Ends with 1 if one is found. It is then among the stored inputs (src/test/resources/…FuzzTestInputs), so
# that the build fails until the cause is mended.
# Usage: scripts/fuzz.sh SECONDS [TEST#METHOD…]     such as scripts/fuzz.sh 3600 RecordsFuzzTest#csv; the default is all of them
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
seconds=${1:?"usage: scripts/fuzz.sh SECONDS [TEST#METHOD…]"}
shift
cd "$root" || exit 1

targets() {
    find -- */src/test/java -name '*FuzzTest.java' | sort | while read -r file; do
        test=$(basename "$file" .java)
        sed -n '/@FuzzTest$/{n;s/.*void \([A-Za-z0-9]*\)(.*/\1/p;}' "$file" | sed "s/^/$test#/"
    done
}

found=0
for target in ${*:-$(targets)}; do
    module=$(find -- */src/test/java -name "${target%#*}.java" | cut -d / -f 1)
    log=${TMPDIR:-/tmp}/fuzz-${target%#*}-${target#*#}.log
    if JAZZER_FUZZ=1 JAZZER_MAX_DURATION=${seconds}s mvn -B -ntp -P '!checked' -Dtest.jvm= -pl "$module" -am test -Dtest="$target" \
        -Dsurefire.failIfNoSpecifiedTests=false -Dfuzz.hooks=true -Dtest.timeout="$((seconds + 600)) s" \
        -Dtest.fork.seconds=$((seconds + 900)) > "$log" 2>&1; then
        result='nothing found'
    else
        result="FAILED, see $log"
        found=1
    fi
    runs=$(grep -o 'Done [0-9]* runs in [0-9]* second' "$log" | tail -n 1)
    echo "$target: ${runs:+${runs}(s), }$result"
done
exit $found
