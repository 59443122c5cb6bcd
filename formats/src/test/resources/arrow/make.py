"""Makes the files of Arrow in this directory, which ForeignArrowTest reads: pip install pyarrow, then python make.py."""

import datetime as dt
import decimal
import pathlib

import pyarrow as pa
import pyarrow.feather as feather

HERE = pathlib.Path(__file__).parent
UTC = dt.timezone.utc
DECIMAL = decimal.Decimal


def table():
    t1 = dt.datetime(2024, 2, 29, 12, 30, 15)
    columns = {
        "id": pa.array([1, 2, 3], pa.int32()),
        "u8": pa.array([255, None, 0], pa.uint8()),
        "u64": pa.array([2**64 - 1, None, 0], pa.uint64()),
        "i16": pa.array([-1, None, 0], pa.int16()),
        "half": pa.array([1.5, None, -0.25], pa.float16()),
        "single": pa.array([0.1, None, 1e30], pa.float32()),
        "number": pa.array([0.1, None, 3.0], pa.float64()),
        "yes": pa.array([True, None, False]),
        "nothing": pa.nulls(3),
        "s": pa.array([t1, None, t1], pa.timestamp("s")),
        "us": pa.array([t1, None, t1.replace(microsecond=123456)], pa.timestamp("us", "Europe/Berlin")),
        "ns": pa.array([1709209815123000000, None, 1709209815123456789], pa.int64()).cast(pa.timestamp("ns", "UTC")),
        "date32": pa.array([dt.date(2024, 2, 29), None, dt.date(1, 1, 1)], pa.date32()),
        "date64": pa.array([dt.date(2024, 2, 29), None, dt.date(1969, 12, 31)], pa.date64()),
        "time32": pa.array([dt.time(1, 2, 3), None, dt.time(0)], pa.time32("s")),
        "time64": pa.array([dt.time(1, 2, 3, 4), None, dt.time(0)], pa.time64("us")),
        "elapsed": pa.array([dt.timedelta(seconds=1.5), None, dt.timedelta(0)], pa.duration("ms")),
        "months": pa.array([(14, 3, 5), None, (0, 0, 0)], pa.month_day_nano_interval()),
        "large": pa.array(["größe", None, ""], pa.large_string()),
        "view": pa.array(["short", None, "longer than twelve bytes"], pa.string_view()),
        "blob": pa.array([b"\x00\xff", None, b""], pa.large_binary()),
        "bytes3": pa.array([b"abc", None, b"\x00\x01\x02"], pa.binary(3)),
        "word": pa.array(["x", None, "x"]).dictionary_encode(),
        "d128": pa.array([DECIMAL("1.50"), None, DECIMAL("-0.01")], pa.decimal128(10, 2)),
        "d256": pa.array([DECIMAL(10) ** 50, None, DECIMAL(-1)], pa.decimal256(60, 0)),
        "list": pa.array([[1, 2], None, []], pa.large_list(pa.int64())),
        "words": pa.array([["x", "y"], None, ["x"]], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
        "fixed": pa.array([[1.0, 2.0], None, [3.0, 4.0]], pa.list_(pa.float32(), 2)),
        "map": pa.array([[("a", 1), ("b", 2)], None, []], pa.map_(pa.string(), pa.int32())),
        "struct": pa.array([{"x": 1, "y": "a"}, None, {"x": None, "y": "b"}]),
    }
    return pa.table(columns)


def main():
    rows = table()
    with pa.ipc.new_file(HERE / "types.arrow", rows.schema) as writer:
        writer.write_table(rows, max_chunksize=2)
    with pa.ipc.new_stream(HERE / "types.arrows", rows.schema) as writer:
        writer.write_table(rows)
    for codec in ["lz4", "zstd"]:
        options = pa.ipc.IpcWriteOptions(compression=codec)
        with pa.ipc.new_file(HERE / f"{codec}.arrow", rows.schema, options=options) as writer:
            writer.write_table(rows)
    deltas = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    words = pa.schema([("word", pa.dictionary(pa.int32(), pa.string()))])
    with pa.ipc.new_stream(HERE / "delta.arrows", words, options=deltas) as writer:
        for values in [["x"], ["x", "y"]]:
            indices = pa.array(range(len(values)), pa.int32())
            column = pa.DictionaryArray.from_arrays(indices, pa.array(values))
            writer.write_batch(pa.record_batch([column], schema=words))
    feather.write_feather(rows.select(["id", "view"]), str(HERE / "default.feather"))
    with pa.ipc.new_file(HERE / "empty.arrow", rows.schema):
        pass
    with pa.ipc.new_file(HERE / "union.arrow", pa.schema([("u", pa.dense_union([pa.field("a", pa.int8())]))])):
        pass


if __name__ == "__main__":
    main()
