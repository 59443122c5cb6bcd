#!/usr/bin/env python3
"""Runs commands against simulated clusters of several sizes, and prints what each costs the client: the table of PERFORMANCE.md, in which a
cell has the seconds of processor time, the MB of heap after collections at most, and the requests if the summary has them. With faults
it is the other table, in which a cell has the seconds of the command, those of processor time, and the retries. Details go to standard
error: seconds, resident memory, retries, lines of the command's standard error, and messages of commands that failed. A command whose rows
are not as many as expected has the cell "WRONG".

Usage: scripts/cluster-size.py [-n NODES] [-t TOKENS] [-w WORKS] [-f FAULTS] [-r ROWS] [-s SECONDS] [-j OPTIONS] [-p PORT] [-d DIRECTORY]
  -n NODES      sizes of the cluster; default "3 20 100 300 1000"
  -t TOKENS     numbers of tokens of each node; default "16 256"
  -w WORKS      of: empty count load singles unload copy diff sstables; default all
  -f FAULTS     each as --faults of "overdrive local start" takes it, such as "hang=1 slow=1% lose=10", or none; each has a row of the table
  -r ROWS       of the table that is read, and of the files that are loaded; default 1000000
  -s SECONDS    after which a command is ended; default 300
  -j OPTIONS    of the client's JVM, such as "-Xmx1g"; default those of the launcher
OVERDRIVE may name the program to run; the default is that of the checkout. The simulated nodes use the same processors, so seconds say
little. It needs Linux, whose loopback interface has all addresses of 127.0.0.0/8, and about 2 GB for 1,000 nodes.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAUSE = re.compile(r"Pause .* \d+M->(\d+)M\(")
WORKS = "empty count load singles unload copy diff sstables"
NUMBERS = "simulated.numbers"
NONE = "none"


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ", 1)[1], add_help=False)
    parser.add_argument("-n", default="3 20 100 300 1000")
    parser.add_argument("-t", default="16 256")
    parser.add_argument("-w", default=WORKS)
    parser.add_argument("-f", default="")
    parser.add_argument("-r", type=int, default=1_000_000)
    parser.add_argument("-s", type=int, default=300)
    parser.add_argument("-j", default="")
    parser.add_argument("-p", type=int, default=9342)
    parser.add_argument("-d", default=os.path.join(tempfile.gettempdir(), "overdrive-cluster-size"))
    return parser.parse_args()


def started(program, nodes, tokens, faults, options):
    """Simulated nodes in a process that ends at SIGINT."""
    java = {"OVERDRIVE_JAVA_OPTIONS": f"-Xmx{1024 + nodes // 2}m -XX:MaxDirectMemorySize=1g"}
    shape = ["--simulated", nodes, "--tokens", tokens, "--racks", min(3, nodes), "--rows", options.r, *([] if faults in ("", NONE) else ["--faults", faults])]
    words = [program, "local", "start", *shape, "--port", options.p]
    cluster = subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, text=True, env=os.environ | java)
    if not any(line.startswith("connect with") for line in cluster.stdout):
        sys.exit("the simulated cluster has not started")
    return cluster


def rows_file(name, columns, rows, row):
    path = pathlib.Path(name)
    if not path.exists():
        with open(path, "w") as file:
            file.write(columns + "\n")
            file.writelines(row(i) + "\n" for i in range(rows))
    return path


def grouped(rows):
    """Partitions of a hundred rows, one after another."""
    return rows_file("grouped.csv", "id,n,v", rows, lambda i: f"{i // 100 * 7919 % rows},{i},{i * 31}")


def singles(rows):
    """Partitions of one row, in no order of their tokens."""
    factor = 0x9E3779B97F4A7C15F39CC0605CEDC835
    return rows_file("singles.csv", "id,n,label", rows, lambda i: f"{uuid.UUID(int=i * factor % 2**128)},{i},row {i}")


def command(work, rows):
    for made in "files", "sstables":
        shutil.rmtree(made, ignore_errors=True)
    match work:
        case "empty":
            return ["count", "simulated.empty"]
        case "count":
            return ["count", NUMBERS]
        case "load":
            return ["load", grouped(rows), "simulated.grouped"]
        case "singles":
            return ["load", singles(rows), NUMBERS]
        case "unload":
            return ["unload", NUMBERS, "files/"]
        case "copy":
            return ["copy", NUMBERS, "simulated.copied"]
        case "diff":
            return ["diff", NUMBERS, NUMBERS]
        case "sstables":
            return ["load", singles(rows), NUMBERS, "--sstables", "--sstable-directory", "sstables"]
    sys.exit(f"unknown work {work}: choose of {WORKS}")


def run(program, words, options):
    """Runs a command; returns its exit code, or None if it was ended, its seconds, its use of resources, its heap and its summary."""
    log = pathlib.Path("gc.log")
    log.unlink(missing_ok=True)
    java = {"OVERDRIVE_JAVA_OPTIONS": f"{options.j} -Xlog:gc:file={log}"}
    start = time.monotonic()
    with open("out.json", "w") as out, open("err.txt", "w") as err:
        process = subprocess.Popen([program, *map(str, words)], stdout=out, stderr=err, env=os.environ | java, start_new_session=True)
        signalled = False
        while True:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            seconds = time.monotonic() - start
            if pid:
                break
            if not signalled and seconds > options.s:
                os.killpg(process.pid, signal.SIGKILL)
                signalled = True
            time.sleep(0.02)
    pauses = PAUSE.findall(log.read_text()) if log.exists() else []
    heap = max(map(int, pauses), default=0)
    code = None if signalled else os.waitstatus_to_exitcode(status)
    printed = pathlib.Path("out.json").read_text() + pathlib.Path("err.txt").read_text()  # a diff has it there
    summary = json.loads([line for line in printed.splitlines() if line.startswith("{")][-1]) if code == 0 else {}
    return code, seconds, used, heap, summary


def is_right(work, rows, summary):
    """Whether a summary has all rows."""
    read = summary.get("rows", summary.get("rowsRead", summary.get("rowsSame", summary.get("rowsWritten"))))
    expected = 0 if work == "empty" else rows
    return read == expected and summary.get("rowsWritten", read) == expected and not summary.get("rowsRejected")


def measured(program, work, options, faults, is_first):
    """A cell of the table. The first run of a command makes its archive of classes, so it does not count."""
    words = [*command(work, options.r), "--host", f"127.77.0.1:{options.p}", "--json"]
    if is_first:
        run(program, words, options)
        words = [*command(work, options.r), *words[-3:]]
    code, seconds, used, heap, summary = run(program, words, options)
    processor = f"{used.ru_utime + used.ru_stime:.1f} s"
    retries = summary.get("retries", 0) + summary.get("readRetries", 0)
    ended = "ended" if code is None else f"exit code {code}"
    said = pathlib.Path("err.txt").read_text()
    details = f"{processor} of processor time, {used.ru_maxrss // 1024} MB resident, {retries} retries, {said.count(chr(10))} lines"
    print(f"{work}: {ended} after {seconds:.1f} s; {details}", file=sys.stderr)
    if code != 0:
        print(said[-2000:], file=sys.stderr)
        return f"{ended} after {seconds:.1f} s, {heap} MB"
    if not is_right(work, options.r, summary):
        print(summary, file=sys.stderr)
        return "WRONG"
    if faults:
        return f"{seconds:.1f} s, {processor}" + (f", {retries:,}" if retries else "")
    requests = summary.get("requests", summary.get("pages"))
    return f"{processor}, {heap} MB" + (f", {requests:,}" if requests else "")


def cells(program, nodes, tokens, faults, options, is_first):
    """The cells of a cluster."""
    cluster = started(program, nodes, tokens, faults, options)
    try:
        for table in ("empty (id int, n int, v int, PRIMARY KEY (id, n))",
                      "grouped (id int, n int, v int, PRIMARY KEY (id, n))",
                      "copied (id uuid PRIMARY KEY, n bigint, label text)"):
            cql = [program, "cql", "CREATE TABLE simulated." + table, "--host", f"127.77.0.1:{options.p}"]
            subprocess.run(cql, check=True, stdout=subprocess.DEVNULL)
        return [measured(program, work, options, faults, is_first) for work in options.w.split()]
    finally:
        cluster.send_signal(signal.SIGTERM)
        cluster.wait()


def main():
    options = arguments()
    program = os.environ.get("OVERDRIVE", str(ROOT / "overdrive"))
    directory = pathlib.Path(options.d)
    directory.mkdir(parents=True, exist_ok=True)
    os.chdir(directory)
    os.environ["OVERDRIVE_STATE"] = str(directory / "state")  # found sizes of earlier runs do not count
    works = options.w.split()
    print(f"| nodes x tokens | {' | '.join(works)} |\n|{'---|' * (len(works) + 1)}")
    is_first = True
    for nodes in map(int, options.n.split()):
        for tokens in map(int, options.t.split()):
            for faults in options.f.split() or [""]:
                print(f"{nodes} nodes with {tokens} tokens {faults}", file=sys.stderr)
                row = cells(program, nodes, tokens, faults, options, is_first)
                is_first = False
                print(f"| {nodes:,} x {tokens}{faults and ', ' + faults} | {' | '.join(row)} |", flush=True)
    shutil.rmtree(directory)


if __name__ == "__main__":
    main()
