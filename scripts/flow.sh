#!/bin/sh
# Compares how much is in flight by round trips (the default) with fixed limits (512 requests, 2 MB), in turns, on one local node: loads
# and unloads of several kinds, with client and node on the same cores and pinned apart, beside busy loops. Prints rows/s, their medians, and
# the ratio of the medians. Nothing else should run on the machine. All parts take hours: choose some.
# Usage: scripts/flow.sh [-w WORKS] [-c CORES] [-b LOOPS] [-n PAIRS] [-s PERCENT] [-d DIRECTORY] [-p PORT]
#   -w WORKS    of: ordered shuffled shuffled10m wide large unload; default "ordered shuffled wide unload"
#               ordered, shuffled: 1,000,000 rows of 75 bytes in 10,000 partitions; shuffled10m: 10,000,000 of them in 100,000;
#               wide: 1,000,000 partitions of one row of 100 to 1000 bytes; large: 50,000 of 10 kB; unload: the table of ordered
#   -c CORES    of: shared pinned; default "shared". Pinned gives the first half of the processors to the node (Linux)
#   -b LOOPS    numbers of busy loops beside, one by one; default "0"
#   -n PAIRS    of runs for each combination, default 3
#   -s PERCENT  of the rows, default 100; less to see whether all works
# Example: scripts/flow.sh -w "shuffled10m wide" -c "shared pinned" -b "0 2 6" -n 5
# OVERDRIVE may name the program to run; the default is that of the checkout.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
works="ordered shuffled wide unload" cores=shared loops=0 pairs=3 percent=100 port=9342
directory=${TMPDIR:-/tmp}/overdrive-flow
while getopts w:c:b:n:s:d:p: option; do
    case $option in
    w) works=$OPTARG ;;
    c) cores=$OPTARG ;;
    b) loops=$OPTARG ;;
    n) pairs=$OPTARG ;;
    s) percent=$OPTARG ;;
    d) directory=$OPTARG ;;
    p) port=$OPTARG ;;
    *) sed -n '5,/^# OVERDRIVE/s/^# \{0,1\}//p' "$0" && exit 2 ;;
    esac
done
overdrive=${OVERDRIVE:-$root/overdrive}
mkdir -p "$directory" && cd "$directory" || exit 1
node=$directory/node
host="--host 127.0.0.1:$port"
export OVERDRIVE_STATE="$directory/state" # what runs have found before does not count
on_node= on_client= busy=

quiet() {
    for each in $busy; do
        kill "$each" 2> /dev/null
    done
    busy=
}

finish() {
    quiet
    "$overdrive" local wipe --directory "$node" > /dev/null 2>&1
    rm -rf state ./*.csv run.json run.err
}
trap finish EXIT
trap 'exit 130' INT TERM

# The input of a work as a file of its name. 7919 has no factor in common with the numbers of rows.
make_input() {
    awk -v work="$1" -v percent="$percent" 'BEGIN {
        rows = (work == "shuffled10m" ? 10000000 : work == "large" ? 50000 : 1000000) * percent / 100
        if (work == "wide" || work == "large") {
            filler = "abcdefghijklmnopqrstuvwxyz0123456789"
            while (length(filler) < 10000) filler = filler filler
            print "id,v"
            for (i = 0; i < rows; i++)
                print i "," substr(filler, 1 + i % 36, work == "large" ? 9900 : 100 + (i * 7919) % 900)
            exit
        }
        print "host,bucket_time,service,time,latency,status,message"
        for (i = 0; i < rows; i++) {
            n = work == "ordered" ? i : (i * 7919) % rows; p = int(n / 100)
            printf "host-%05d,%d,service-%02d,1700000%06d,%.3f,%d,request %d took its time\n", \
                p / 10, 1700000000 + p % 10, p % 7, n % 1000000, (n * 31 % 9973) / 10, 200 + n % 5, n
        }
    }' > "$1.csv"
}

# Runs the program on the cores of the client.
client() {
    $on_client "$overdrive" "$@"
}

cql() {
    client cql $host "$1" > run.json 2> run.err || fail
}

fail() {
    cat run.json run.err
    exit 1
}

# Runs a work with a control, and sets rate to its rows a second.
run() {
    rm -rf state unloaded.csv
    fixed=
    [ "$2" = adaptive ] || fixed="--in-flight-control fixed"
    if [ "$1" = unload ]; then
        client unload flow.ordered unloaded.csv $host $fixed --json > run.json 2> run.err || fail
    else
        cql "TRUNCATE flow.$1"
        client load "$1.csv" "flow.$1" $host $fixed --json > run.json 2> run.err || fail
    fi
    rate=$(sed -n 's/.*"rowsPerSecond" *: *\([0-9]*\).*/\1/p' run.json)
    [ -n "$rate" ] || fail
}

# The median of numbers, one a line.
median() {
    sort -n | awk '{ a[NR] = $1 } END { print NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'
}

compare() {
    adaptive= fixed_rates= pair=0
    while [ $pair -lt "$pairs" ]; do
        pair=$((pair + 1))
        # The first one of a pair changes, as does what the machine does.
        order="adaptive fixed"
        [ $((pair % 2)) = 1 ] || order="fixed adaptive"
        for control in $order; do
            run "$1" $control
            case $control in
            adaptive) adaptive="$adaptive $rate" ;;
            *) fixed_rates="$fixed_rates $rate" ;;
            esac
        done
    done
    a=$(printf '%s\n' $adaptive | median)
    f=$(printf '%s\n' $fixed_rates | median)
    printf '%-12s %-7s %2s loops  adaptive %9.0f  fixed %9.0f  ratio %.2f  (adaptive%s; fixed%s)\n' "$1" "$2" "$3" "$a" "$f" \
        "$(echo "$a $f" | awk '{ print ($2 > 0 ? $1 / $2 : 0) }')" "$adaptive" "$fixed_rates"
}

create() {
    cql "CREATE KEYSPACE IF NOT EXISTS flow WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
    for work in ordered shuffled shuffled10m; do
        cql "CREATE TABLE flow.$work (host text, bucket_time int, service text, time bigint, latency double, status int,
            message text, PRIMARY KEY ((host, bucket_time, service), time))"
    done
    for work in wide large; do
        cql "CREATE TABLE flow.$work (id int PRIMARY KEY, v text)"
    done
}

for place in $cores; do
    on_node= on_client=
    if [ "$place" = pinned ]; then
        all=$(getconf _NPROCESSORS_ONLN)
        on_node="taskset -c 0-$((all / 2 - 1))"
        on_client="taskset -c $((all / 2))-$((all - 1))"
    fi
    $on_node "$overdrive" local start --directory "$node" --port "$port" > run.json 2> run.err || fail
    create
    for work in $works; do
        input=$work
        [ "$work" != unload ] || input=ordered
        [ -f "$input.csv" ] || make_input "$input"
        if [ "$work" = unload ]; then
            run ordered adaptive
        fi
        run "$work" adaptive # warms the node up
        for count in $loops; do
            while [ "$(echo $busy | wc -w)" -lt "$count" ]; do
                sh -c 'while :; do :; done' &
                busy="$busy $!"
            done
            compare "$work" "$place" "$count"
            quiet
        done
    done
    "$overdrive" local wipe --directory "$node" > /dev/null
done
