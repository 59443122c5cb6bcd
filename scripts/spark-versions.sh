#!/usr/bin/env bash
# Tries the connector on versions of Spark, as PySpark from PyPI, on a local node: writes, reads, SQL, a join by lookups, what
# Cassandra does for Spark, groups without a shuffle, DELETE, UPDATE and MERGE, in a session of spark-submit and by Spark Connect; on
# Spark 3, that it is refused with one sentence.
#     scripts/spark-versions.sh [VERSION…]     4.0.5 4.1.4 4.2.0 4.3.0 3.5.7 by default; each is fetched once, about 450 MB
# BUNDLE may name the jar; by default it is built.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd -P)
[ $# -gt 0 ] || set -- 4.0.5 4.1.4 4.2.0 4.3.0 3.5.7
work=$(mktemp -d)
overdrive=$root/overdrive
server=

finish() {
    [ -z "$server" ] || kill "$server" 2> /dev/null || true
    "$overdrive" local wipe --directory "$work/node" > /dev/null 2>&1 || true
    rm -rf "$work"
}
trap finish EXIT

bundle=${BUNDLE:-$root/spark/target/overdrive-spark-bundle.jar}
[ -n "${BUNDLE:-}" ] || mvn -B -ntp -q -Dquick -f "$root/pom.xml" -pl spark -am package

"$overdrive" local start --directory "$work/node" --port 0 --heap-mb 512 2>&1 | tee "$work/node.log"
address=$(sed -n 's/^Cassandra answers at \([0-9.:]*\).*/\1/p' "$work/node.log")
options=(--master 'local[2]' --jars "$bundle"
    --conf spark.ui.enabled=false
    --conf spark.sql.shuffle.partitions=3
    --conf spark.cassandra.connection.host="${address%:*}"
    --conf spark.cassandra.connection.port="${address##*:}"
    --conf spark.sql.catalog.cass=io.overdrive.spark.CassandraCatalog
    --conf spark.sql.extensions=io.overdrive.spark.OverdriveExtensions)

# run NAME COMMAND…: prints whether it succeeded, and its output if not.
failed=0
run() {
    name=$1
    shift
    if "$@" > "$work/out" 2> "$work/err" < /dev/null; then
        echo "$name: passed"
    else
        failed=1
        echo "$name: FAILED"
        tail -n 40 "$work/err" "$work/out"
    fi
}

# tables KEYSPACE: creates the tables with indexes.
tables() {
    sed "s/@/${1}_more/" "$root/scripts/spark_versions.cql" \
        | "$overdrive" cql --host "${address%:*}" --port "${address##*:}" --file - > /dev/null
}

export SPARK_LOCAL_IP=127.0.0.1
unset SPARK_HOME PYTHONPATH
for version in "$@"; do
    home=${OVERDRIVE_HOME:-$HOME/.cache/overdrive}/pyspark-connect-$version
    if [ ! -x "$home/bin/spark-submit" ]; then
        python3 -m venv --clear "$home"
        "$home/bin/python" -m pip install --quiet --disable-pip-version-check "pyspark[connect]==$version"
    fi
    export PYSPARK_PYTHON=$home/bin/python
    keyspace=spark_${version//./_}
    case $version in
    3.*)
        run "Spark $version with the extensions is refused" \
            "$home/bin/spark-submit" "${options[@]}" "$root/scripts/spark_versions.py" "$keyspace" no-session
        run "Spark $version without them is refused" \
            "$home/bin/spark-submit" "${options[@]}" --conf spark.sql.extensions= "$root/scripts/spark_versions.py" "$keyspace" refused
        continue
        ;;
    esac
    tables "$keyspace"
    tables "${keyspace}_connect"
    run "Spark $version" "$home/bin/spark-submit" "${options[@]}" "$root/scripts/spark_versions.py" "$keyspace"

    port=$("$home/bin/python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    "$home/bin/spark-submit" "${options[@]}" --conf spark.connect.grpc.binding.port="$port" \
        --class org.apache.spark.sql.connect.service.SparkConnectServer spark-internal > "$work/server" 2>&1 < /dev/null &
    server=$!
    for _ in $(seq 240); do
        ! (: > "/dev/tcp/127.0.0.1/$port") 2> /dev/null || break
        kill -0 "$server" 2> /dev/null || break
        sleep 0.5
    done
    run "Spark Connect $version" "$home/bin/python" "$root/scripts/spark_versions.py" "${keyspace}_connect" "sc://127.0.0.1:$port"
    [ $failed = 0 ] || tail -n 20 "$work/server"
    kill "$server" && wait "$server" || true
    server=
done
exit $failed
