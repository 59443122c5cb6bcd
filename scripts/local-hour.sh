#!/bin/sh
# Runs loads, counts, unloads, single writes and reads, and experiments in turn for an hour, on one local node with the
# default heap. Ends with 1 when a command fails, which also happens when the node ends.
# Usage: scripts/local-hour.sh [SECONDS [DIRECTORY [PORT [options of local start]]]]
# OVERDRIVE may name the program to run; the default is that of the checkout.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
seconds=${1:-3600}
directory=${2:-${TMPDIR:-/tmp}/overdrive-local-hour}
port=${3:-9142}
[ $# -ge 3 ] && shift 3 || shift $#
node=$directory/node
host="--host 127.0.0.1:$port"
overdrive=${OVERDRIVE:-$root/overdrive}
mkdir -p "$directory"
cd "$directory" || exit 1

finish() {
    "$overdrive" local wipe --directory "$node"
    rm -f w1.csv unloaded.csv step.out step.err status.out
}
trap finish EXIT
trap 'exit 130' INT TERM

# 1,000,000 rows out of order, in 10,000 partitions of 100. 7919 has no factor in common with their number.
awk 'BEGIN {
    print "host,bucket_time,service,time,latency,status,message"
    for (i = 0; i < 1000000; i++) {
        n = (i * 7919) % 1000000; p = int(n / 100)
        printf "host-%04d,%d,service-%02d,1700000%06d,%.3f,%d,request %d took its time\n", \
            p / 10, 1700000000 + p % 10, p % 7, n, (n * 31 % 9973) / 10, 200 + n % 5, n
    }
}' > w1.csv

# Prints the first line of a command's output. A rate that a busy machine does not reach is no failure, a dead node is.
step() {
    printf '%6d s  %s: ' $(($(date +%s) - start)) "$1"
    shift
    "$@" > step.out 2> step.err || grep -q "the rate was not reached" step.err || {
        echo "failed"
        cat step.out step.err
        tail -n 20 "$node/node1/logs/console.log" "$node/node1/logs/system.log"
        exit 1
    }
    head -n 1 step.out
    "$overdrive" local status --directory "$node" > status.out || {
        cat status.out
        exit 1
    }
}

"$overdrive" local start --directory "$node" --port "$port" "$@" || exit 1
start=$(date +%s)
round=0
while [ $(($(date +%s) - start)) -lt "$seconds" ]; do
    round=$((round + 1))
    step "load" "$overdrive" load w1.csv hour.w1 $host --create --key "(host, bucket_time, service), time"
    step "load flights" "$overdrive" load "$root/data/flights.csv.zst" hour.flights $host --create --null NA \
        --key "(origin, dest, year, month), day, sched_dep_time, carrier, flight"
    step "stress" "$overdrive" bench stress hour.stress $host --create --rate 5000 --for 60s \
        --workload "write 0.5 read 0.5"
    step "count" "$overdrive" count hour.w1 $host --by partition
    rm -f unloaded.csv
    step "unload" "$overdrive" unload hour.w1 unloaded.csv $host
    step "experiment" "$overdrive" bench grouping-order --preset tiny --out reports $host
done
echo "$round rounds in $(($(date +%s) - start)) s; the node still answers:"
"$overdrive" local status --directory "$node"
