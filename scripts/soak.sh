#!/bin/sh
# Loads, unloads, loads what was unloaded, compares and verifies tables in turn, while clients are killed and resumed, and nodes
# are killed or paused, one at a time, at random moments: three local nodes, replication factor 3, LOCAL_QUORUM. One load from a
# pipe runs the whole time, and its memory and open files are noted each minute. Ends with 1 if a row is lost, doubled or wrong,
# a job fails, or what is noted grows. What was seen is left in the directory.
# Usage: scripts/soak.sh [SECONDS [DIRECTORY [PORT [options of local start]]]]
# OVERDRIVE may name the program to run; the default is that of the checkout. ROWS is the number of rows of a round, and SEED
# repeats the choices of an earlier soak. Runs on Linux, with a JDK.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
seconds=${1:-1800}
directory=${2:-${TMPDIR:-/tmp}/overdrive-soak}
port=${3:-9242}
[ $# -ge 3 ] && shift 3 || shift $#
rows=${ROWS:-100000}
seed=${SEED:-$(date +%s)}
overdrive=${OVERDRIVE:-$root/overdrive}
jcmd=${JAVA_HOME:+$JAVA_HOME/bin/}jcmd
for each in setsid "$jcmd"; do
    command -v "$each" > /dev/null || {
        echo "$each was not found, and is needed: run this on Linux, with a JDK (JAVA_HOME)"
        exit 1
    }
done
mkdir -p "$directory" && cd "$directory" || exit 1
directory=$(pwd -P)
nodes=$directory/nodes
host="--host 127.0.0.1,127.0.0.2,127.0.0.3 --port $port"
stream_keys=100000
export OVERDRIVE_STATE="$directory/state"
job= stream= background= start=$(date +%s) code_at_end=1

finish() {
    echo 1 > stop
    for each in $background $stream; do
        kill "$each" 2> /dev/null
    done
    [ -z "$job" ] || kill -9 "-$job" 2> /dev/null
    if [ $code_at_end = 0 ]; then
        "$overdrive" local wipe --directory "$nodes"
        rm -rf state out spill rows.csv expected.csv pipe stream.csv
    else
        "$overdrive" local stop --directory "$nodes"
        echo "all files are left in $directory; overdrive local wipe --directory $nodes deletes the nodes"
    fi
}

say() {
    printf '%6d s  %s\n' $(($(date +%s) - start)) "$*"
}

fail() {
    say "FAILED, with seed $seed: $*"
    exit 1
}

# Sets random to a number from $1 to $2.
random() {
    state=$(((state * 1103515245 + 12345) % 2147483648))
    random=$(($1 + state / 65536 % ($2 - $1 + 1)))
}

# The state of the newest run: killed, done, or nothing if none has a journal.
newest() {
    "$overdrive" runs | awk 'NR == 2 { print $2 }'
}

# job NAME KILLS ARGUMENT…: runs a command, which is killed up to this often after 0.5 to 10 s and then resumed. Its exit code
# must be 0. A load or an unload that was done when it was killed is not repeated.
job() {
    name=$1
    random 0 "$2"
    left=$random
    killed=0
    resume=
    shift 2
    rm -rf state
    while :; do
        setsid "$overdrive" "$@" $resume > job.out 2> job.err &
        job=$!
        seconds_left=600
        if [ $left -gt 0 ]; then
            random 5 100
            seconds_left=$((random / 10)).$((random % 10))
        fi
        (sleep $seconds_left && kill -9 "-$job") > /dev/null 2>&1 &
        killer=$!
        wait "$job" 2> /dev/null # dash says that it was killed
        code=$?
        kill "$killer" 2> /dev/null
        job=
        [ $code = 137 ] || break
        [ $left -gt 0 ] || fail "$name did not end in 600 s"
        left=$((left - 1))
        killed=$((killed + 1))
        echo "$name" >> kills
        case $(newest)-$name in
        killed-*) resume=--resume ;;
        done-*load*) code=0 && break ;;
        *) resume= && rm -rf state ;;
        esac
    done
    [ $code = 0 ] || {
        cat job.out job.err
        fail "$name ended with $code"
    }
    [ ! -s failed ] || fail "$(cat failed)"
    say "$name, killed $killed times: $(head -n 1 job.out | cut -c 1-70)"
}

# The rows of a round, in random order, 5 % of the keys twice, and what the table then has.
write_rows() {
    awk -v rows="$rows" -v round="$round" -v seed="$seed" 'function put(key) {
        line = int(key / 50) "," key % 50 ",round " round " record " ++n "," (n % 4 ? n : "")
        print line
        last[key] = line
    }
    BEGIN {
        srand(seed + round)
        print "p,c,v,n"
        for (i = 0; i < rows; i++) {
            put((i * 7919 + round) % rows) # 7919 has no factor in common with their number
            if (i % 20 == 0) put(int(rand() * rows))
        }
        for (key in last) print last[key] > "expected.unsorted"
    }' > rows.csv
    LC_ALL=C sort expected.unsorted > expected.csv
    rm expected.unsorted
}

# same TABLE WHAT: whether the files in out have the expected rows, each once.
same() {
    for each in out/*; do tail -n +2 "$each"; done | LC_ALL=C sort | cmp - expected.csv || fail "$1 does not have $2"
}

one_round() {
    round=$((round + 1))
    write_rows
    say "round $round"
    job "load" 3 load rows.csv soak.first $host --write-nulls --grouping-memory 1MB --spill-directory spill
    rm -rf out
    job "unload" 2 unload soak.first out $host --columns p,c,v,n
    same soak.first "the rows of the file"
    job "load of the unloaded files" 2 load out soak.second $host --write-nulls
    job "diff" 1 diff soak.first soak.second $host
    [ ! -s job.out ] || fail "soak.first and soak.second differ: $(head -n 3 job.out)"
    job "verify" 0 verify rows.csv soak.first $host --write-nulls
    job "count" 1 count soak.second $host --json
    grep -q "\"rows\":$rows," job.out || fail "soak.second has other rows: $(cat job.out)"
    connections
}

# Kills or pauses one node at a time, and waits until the others have sent it what it missed.
faults() {
    state=$((seed * 31 + 7))
    while [ ! -e stop ]; do
        random 15 40
        sleep $random
        while ls nodes/node*/hints/*.hints > /dev/null 2>&1 && [ ! -e stop ]; do sleep 1; done
        random 1 3
        node=node$random
        pid=$("$overdrive" local status --directory "$nodes" | awk -v node=$node '$1 == node && $5 == "pid" { print $6 }')
        [ -n "$pid" ] || {
            echo "$node has ended by itself" > failed
            return
        }
        random 0 1
        kind=$random
        random 2 20
        if [ $kind = 0 ]; then
            kill -9 "$pid"
            sleep $random
            "$overdrive" local start --directory "$nodes" > start.out 2>&1 || {
                cat start.out > failed
                return
            }
            say "$node killed for $random s, and started" | tee -a faults
        else
            kill -STOP "$pid"
            sleep $random
            kill -CONT "$pid"
            say "$node paused for $random s" | tee -a faults
        fi
    done
}

# Rows for the load from a pipe, about 1,000 a second, until the soak stops; each key again and again.
feed() {
    awk -v keys=$stream_keys 'BEGIN {
        print "p,c,v"
        while ((getline line < "stop") < 0) {
            for (i = 0; i < 200; i++) {
                key = n % keys
                printf "%d,%d,event %d of a machine that reports what it measures to the table of all of them\n", key / 50, key % 50, n++
            }
            fflush()
            system("sleep 0.2")
        }
        print n > "fed"
    }' > pipe
}

# Seconds, resident memory in KB, heap in use after a full collection in KB, open files, of the load from a pipe.
observe() {
    interval=$((seconds / 30))
    [ $interval -gt 0 ] || interval=1
    [ $interval -lt 60 ] || interval=60
    sleep $interval
    while [ ! -e stop ]; do
        resident=$(awk '/^VmRSS/ { print $2 }' "/proc/$stream/status")
        files=$(ls "/proc/$stream/fd" | wc -l)
        "$jcmd" "$stream" GC.run > /dev/null 2>&1
        heap=$("$jcmd" "$stream" GC.heap_info 2> /dev/null |
            sed -n 's/.* total [0-9]*K, used \([0-9]*\)K.*/\1/p' | awk '{ sum += $1 } END { print sum }')
        echo "$(($(date +%s) - start)) ${resident:-0} ${heap:-0} $files" >> samples
        sleep $interval
    done
}

# Connections that the nodes have open for clients, while no job runs but the load from a pipe.
connections() {
    hex=$(printf '%04X' "$port")
    cat /proc/net/tcp /proc/net/tcp6 2> /dev/null |
        awk -v port=":$hex\$" -v seconds=$(($(date +%s) - start)) '$2 ~ port && $4 == "01" { n++ } END { print seconds, n + 0 }' \
            >> connections
}

# flat FILE COLUMN NAME PERCENT PLUS: whether the median of the column's last third is at most this much above that of its first.
flat() {
    awk -v column="$2" -v name="$3" -v percent="$4" -v plus="$5" '
        function median(from, to,    sorted, i, j, x) {
            for (i = from; i <= to; i++) {
                x = v[i]
                for (j = i - 1; j >= from && sorted[j] > x; j--) sorted[j + 1] = sorted[j]
                sorted[j + 1] = x
            }
            return sorted[int((from + to) / 2)]
        }
        { v[NR] = $column }
        END {
            third = int((NR + 2) / 3)
            first = median(1, third)
            last = median(NR - third + 1, NR)
            grows = NR == 0 || last > first * (1 + percent / 100) + plus
            printf "%s: %d at first, %d at last (medians of thirds of %d)%s\n", name, first, last, NR, grows ? ": GROWS" : ""
            exit grows
        }' "$1"
}

trap finish EXIT
trap 'exit 130' INT TERM
rm -rf stop failed fed kills faults samples connections state out spill pipe
mkdir -p spill
touch kills faults samples connections
state=$seed
round=0
echo "seed $seed, $rows rows a round, $seconds s"
"$overdrive" local start --nodes 3 --heap-mb 384 --directory "$nodes" --port "$port" "$@" || exit 1
"$overdrive" cql $host "CREATE KEYSPACE IF NOT EXISTS soak WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 3}" || exit 1
for table in first second; do
    "$overdrive" cql $host "CREATE TABLE IF NOT EXISTS soak.$table (p int, c int, v text, n int, PRIMARY KEY (p, c))" || exit 1
done
"$overdrive" cql $host "CREATE TABLE IF NOT EXISTS soak.stream (p int, c int, v text, PRIMARY KEY (p, c))" || exit 1
# The first run of a command makes the archive of its classes, and is a child of the launcher; later ones replace it.
printf 'p,c,v\n0,0,nothing\n' > stream.csv
"$overdrive" load stream.csv soak.stream $host --no-journal > /dev/null 2>&1 || exit 1

mkfifo pipe
feed &
background=$!
"$overdrive" load pipe soak.stream $host --format csv > stream.out 2> stream.err &
stream=$!
start=$(date +%s)
while [ "$(cat "/proc/$stream/comm")" != java ]; do
    [ $(($(date +%s) - start)) -lt 60 ] || fail "the load from a pipe does not start: $(cat stream.err)"
    sleep 0.1
done
start=$(date +%s)
observe > /dev/null 2>&1 &
background="$background $!"
faults &
killer_of_nodes=$!
background="$background $killer_of_nodes"
while [ $(($(date +%s) - start)) -lt "$seconds" ]; do
    one_round
    [ -d "/proc/$stream" ] || fail "the load from a pipe has ended: $(tail -n 5 stream.err)"
done

echo 1 > stop
wait $killer_of_nodes
[ ! -s failed ] || fail "$(cat failed)"
wait $stream || fail "the load from a pipe ended with $?: $(tail -n 5 stream.err)"
stream=
rm -rf out
job "unload of what came by the pipe" 0 unload soak.stream out $host --columns p,c,v
awk -v keys=$stream_keys -v n="$(cat fed)" 'BEGIN {
    for (i = n > keys ? n - keys : 0; i < n; i++) {
        printf "%d,%d,event %d of a machine that reports what it measures to the table of all of them\n", i % keys / 50, i % keys % 50, i
    }
}' | LC_ALL=C sort > expected.csv
same soak.stream "the last $stream_keys of $(cat fed) rows from the pipe"

say "$round rounds, $(wc -l < kills) kills of clients, $(grep -c killed faults) kills and $(grep -c paused faults) pauses of nodes," \
    "$(cat fed) rows from the pipe: nothing is lost"
code_at_end=0
flat samples 2 "resident memory of the load from a pipe, KB" 10 16384 || code_at_end=1
flat samples 3 "heap of the load from a pipe after collections, KB" 10 4096 || code_at_end=1
flat samples 4 "open files of the load from a pipe" 0 4 || code_at_end=1
flat connections 2 "connections of clients to the nodes" 0 4 || code_at_end=1
exit $code_at_end
