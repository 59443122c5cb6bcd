#!/usr/bin/env bash
# Prints the table of PERFORMANCE.md that compares controllers of what is in flight against simulated nodes, in virtual time.
set -euo pipefail
cd "$(dirname "$0")/.."
mvn -q -ntp -DskipTests -pl core -am package dependency:build-classpath -Dmdep.outputFile=target/classpath
exec java -cp "core/target/test-classes:core/target/classes:$(cat core/target/classpath)" \
  io.overdrive.internal.flow.FlowComparison
