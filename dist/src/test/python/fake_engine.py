"""A double of ``overdrive calls``: it speaks its protocol, and has no cluster. What it does follows from the table of a call.

It uses the standard library only: the bytes of its rows are in the file that the variable FAKE_ROWS names.
"""

import json
import os
import signal
import socket
import sys
import threading
import time

READ_SECONDS = 30
_output = threading.Lock()
_cancelled = threading.Event()


def emit(event, **members):
    with _output:
        sys.stdout.write(json.dumps({"event": event, **members}) + "\n")
        sys.stdout.flush()


def connect(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    return connection


def done(code=0, error=None, summary=None, **more):
    emit("done", exit=code, error=error, summary=summary, **more)


def log(text):
    if "FAKE_LOG" in os.environ:
        with open(os.environ["FAKE_LOG"], "a") as file:
            file.write(text + "\n")


def rows():
    with open(os.environ["FAKE_ROWS"], "rb") as file:
        return file.read()


LIMITED = {"cause": "cluster", "share": 0.8, "evidence": "the nodes were busy", "shares": {"cluster": 0.8, "input": 0.2}}


PLAN = {"reads": {"table": "ks.t", "nodes": ["127.0.0.1"], "nodesDown": [], "splits": 4}}


def unload(request, table):
    if table == "ks.missing":
        return done(1, 'keyspace "ks" has no table "missing"', kind="schema")
    out = connect(request["output"])
    data = rows()
    try:
        if table == "ks.slow":
            out.sendall(data[:-100])
            log("waits")
            while not _cancelled.wait(0.01):
                pass
            out.close()
            return done(130, "interrupted", {"rowsWritten": 1})
        if table == "ks.endless":
            start = rows()[:-8]
            batch = start[int(os.environ["FAKE_SCHEMA_BYTES"]) :]
            out.sendall(start)
            while not _cancelled.is_set():
                out.sendall(batch)
            log("cancelled")
            return done(130, "interrupted")
        if table == "ks.crash":
            out.sendall(data[: len(data) // 2])
            sys.stderr.write("java.lang.OutOfMemoryError\n")
            sys.stderr.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        if table == "ks.truncated":
            out.sendall(data[: len(data) // 2])
        elif table == "ks.no_end":
            out.sendall(data[:-8])
        elif table == "ks.failed_later":
            out.sendall(data)
            out.close()
            return done(1, "split 3: no node has answered", {"rowsWritten": 1})
        elif table == "ks.no_arrow":
            out.sendall(b"id,name\n1,a\n" * 100)
        elif table == "ks.garbage":
            out.sendall(data[:10])
            sys.stdout.write("Picked up JAVA_TOOL_OPTIONS\n")
            sys.stdout.flush()
            time.sleep(READ_SECONDS)
        else:
            emit("text", text="plan: 4 splits")
            emit("progress", rows=10, rowsPerSecond=100, done=0.5, limitedBy="cluster", seconds=0.5)
            out.sendall(data)
        out.close()
    except (BrokenPipeError, ConnectionResetError):
        log("reader gone")
        return done(141, "the reader of standard output has ended")
    log("unload ended")
    done(0, None, {"rowsWritten": 10, "seconds": 0.5, "limitedBy": LIMITED, "plan": PLAN})


def load(request, table, options):
    source = connect(request["input"])
    if table == "ks.refuses":
        source.recv(1)
        source.close()
        return done(1, "more than 100 records were rejected", {"rowsRead": 101, "rowsWritten": 0, "rowsRejected": 101, "rejectFiles": []})
    if table == "ks.crash":
        source.recv(1)
        os.kill(os.getpid(), signal.SIGKILL)
    data = bytearray()
    log("waits")
    while piece := source.recv(1 << 16):
        data += piece
    if _cancelled.is_set():
        return done(130, "interrupted")
    if not data.endswith(b"\xff\xff\xff\xff\0\0\0\0"):
        log("no end mark")
        return done(1, "standard input: the stream has no end mark")
    with open(os.environ["FAKE_WRITTEN"], "wb") as file:
        file.write(data)
    summary = {"rowsRead": 3, "rowsWritten": 3, "rowsRejected": 0, "seconds": 2.0, "rejectFiles": [], "limitedBy": LIMITED}
    if table == "ks.rejects":
        file = os.path.join(options["--rejects"], "stdin.arrow.jsonl.rejected")
        with open(file, "w") as out:
            out.write('{"id":1,"d":0.10000000000000000001}\n{"id":2,"d":0.5}\n')
        with open(file + ".reasons", "w") as out:
            out.write('{"batch":1,"row":1,"reason":"bad"}\n{"batch":1,"row":2,"reason":"worse"}\n')
        more = {"rowsWritten": 1, "rowsRejected": 2, "rejectFiles": [file], "reasonFiles": [file + ".reasons"], "firstReject": "batch 1 row 1: bad"}
        return done(3, None, {**summary, **more})
    done(0, None, summary)


def other(request, command, words):
    if command == "count":
        if words[0] == "ks.hangs":
            log("waits")
            signal.pause()
        if words[0] == "ks.waits":
            log("waits")
            while not _cancelled.wait(0.01):
                pass
            log("cancelled")
            return done(130, "interrupted")
        return done(0, None, {"rows": 1234, "seconds": 0.1})
    if command == "config":
        given = {each.split("=")[0][2:] for each in request["args"] if each.startswith("--")} - {"json"}
        given |= {name.removeprefix("OVERDRIVE_").lower() for name in request["environment"]}
        options = [{"option": name, "origin": "option"} for name in given]
        options += [{"option": name, "origin": "default"} for name in ("map", "host", "query", "where", "splits", "json")]
        return done(summary={"options": options})
    if command == "splits":
        ranges = [["-9223372036854775808,-5"], ["-5,7", "9,12"], ["7,9", "12,9223372036854775807"]]
        splits = [{"token_ranges": each, "nodes": ["127.0.0.1"], "estimated_bytes": 10} for each in ranges]
        emit("output", text=json.dumps(splits[: 1 if words[:1] == ["ks.one"] else 3]) + "\n")
        log("args " + json.dumps(request["args"][1:]))
        return done()
    if command in ("diff", "verify"):
        if "input" in request:
            source = connect(request["input"])
            while source.recv(1 << 16):
                pass
        emit("output", text='{"kind":"missing-right","key":{"id":1}}\n{"kind":"diff')
        emit("output", text='erent","key":{"id":3},"columns":["born"]}\n')
        return done(3, None, {"missingRight": 1})
    if command == "cql" and request["args"][-1] == "SELECT p, c AS p":
        emit("output", text='{"p":1,"p":"a"}\n')
        return done(0)
    if command == "cql" and request["args"][-1] == "SELECT numbers":
        emit("output", text='{"d":12345678901234567890.123,"large":1E+100000,"small":-1E-100000,"f":0.1,"least":4.9E-324,"double":1.0E23}\n')
        return done()
    if command == "echo" or command == "cql":
        given = {name: value for name, value in os.environ.items() if name.startswith("OVERDRIVE_")}
        emit("output", text=json.dumps({"args": request["args"], "environment": {**given, **request.get("environment", {})}, "pid": os.getpid(),
                                        "directory": os.getcwd()}) + "\n")
        return done()
    done(0, None, {"rowsWritten": 5, "seconds": 1.0, "args": request["args"]})


def run(request):
    try:
        answer(request)
    except Exception as e:  # the parent has closed a socket, or this double is wrong
        done(1, repr(e))


def answer(request):
    _cancelled.clear()
    command, *args = request["args"]
    words = [each for each in args if not each.startswith("--")]
    options = dict(each.split("=", 1) for each in args if each.startswith("--") and "=" in each)
    if "--no-such" in " ".join(args):
        return done(2, "Unknown option: '--no-such=1'")
    if command == "unload" and words[-1:] == ["-"]:
        keys = options.get("--keys")
        log(f"keys {keys is not None and os.path.getsize(keys)}")
        log("args " + json.dumps(args))
        unload(request, words[0] if len(words) > 1 else "query")
    elif command == "load" and words[0] == "-":
        load(request, words[1], options)
    else:
        other(request, command, words)


def main():
    if os.environ.get("FAKE_START") == "no java":
        sys.exit("overdrive: there is no Java 17 or newer")
    emit("ready", version="0", protocol=int(os.environ.get("FAKE_PROTOCOL", "1")))
    worker = None
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("cancel"):
            _cancelled.set()
            continue
        if worker is not None:
            worker.join()
        worker = threading.Thread(target=run, args=(request,), daemon=True)
        worker.start()
    _cancelled.set()
    if worker is not None:
        worker.join(2)
    while os.path.exists(os.environ.get("FAKE_HOLD", "")):
        time.sleep(0.01)
    log("ended")


main()
