#!/bin/sh
# Runs the tests of the Maven profile "server" on each version of Cassandra that is named, or on all: scripts/clusters.sh 4.1
# Versions 4.0 and 4.1 need a Java 11, in one of the usual places or named by JAVA_HOME_11.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- 4.0 4.1 5.0
for version in "$@"; do
    echo "Cassandra $version"
    mvn -B -ntp -q -P 'server,!checked' -Doverdrive.local.cassandra="$version" -Doverdrive.imports=7 verify
    case $version in
    5*)
        for format in big bti; do
            echo "Cassandra $version, which writes files of its own version in the format $format"
            mvn -B -ntp -q -P 'server,!checked' -pl sstable -am -Dit.test=OracleIT,SnapshotIT \
                -Doverdrive.local.cassandra="$version" -Doverdrive.imports=7 -Doverdrive.storage=NONE \
                -Doverdrive.format=$format verify
        done
        ;;
    esac
done
