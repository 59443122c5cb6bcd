"""Makes the files of Parquet in this directory, which ForeignParquetTest reads: pip install pyarrow duckdb, then python make.py."""

import pathlib
import runpy

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

HERE = pathlib.Path(__file__).parent
ENCODINGS = {
    "id": "DELTA_BINARY_PACKED",
    "u64": "DELTA_BINARY_PACKED",
    "single": "BYTE_STREAM_SPLIT",
    "number": "BYTE_STREAM_SPLIT",
    "d128": "BYTE_STREAM_SPLIT",
    "yes": "RLE",
    "large": "DELTA_BYTE_ARRAY",
    "view": "DELTA_LENGTH_BYTE_ARRAY",
    "bytes3": "DELTA_BYTE_ARRAY",
}


def pages():
    """Many rows, whose lists and texts are on many small pages: each value follows from the number of the row."""
    numbers = range(4000)
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "word": [None if i % 9 == 0 else f"word {i % 7}" for i in numbers],
            "text": [f"text {i * i % 4001}" for i in numbers],
            "list": [None if i % 11 == 0 else list(range(i % 6)) for i in numbers],
            "deep": [[{"x": j, "y": ["a"] * (j % 3)} for j in range(i % 3)] for i in numbers],
        }
    )


def main():
    table = runpy.run_path(str(HERE.parent / "arrow" / "make.py"))["table"]().drop_columns(["months"])
    pq.write_table(table, HERE / "none.parquet", compression="none")
    one = pa.table({"a": pa.array([[1, 2]], pa.list_(pa.int32()))})
    pq.write_table(one, HERE / "list.parquet", compression="none", use_dictionary=False, store_schema=False)
    for codec in ["snappy", "gzip", "lz4"]:
        pq.write_table(table, HERE / f"{codec}.parquet", compression=codec, row_group_size=2)
    for codec in ["zstd", "brotli"]:
        pq.write_table(table, HERE / f"{codec}.parquet", compression=codec, data_page_version="2.0")
    pq.write_table(
        table,
        HERE / "encodings.parquet",
        use_dictionary=False,
        column_encoding=ENCODINGS,
        data_page_version="2.0",
        write_page_checksum=True,
    )
    pq.write_table(table, HERE / "int96.pq", use_deprecated_int96_timestamps=True, use_compliant_nested_type=False)
    for version in ["1.0", "2.0"]:
        pq.write_table(
            pages(),
            HERE / f"pages-{version}.parquet",
            compression="zstd",
            data_page_size=512,
            write_batch_size=100,
            dictionary_pagesize_limit=2000,
            row_group_size=2500,
            data_page_version=version,
        )
    pq.write_table(table.slice(0, 0), HERE / "empty.parquet")
    duckdb.sql(
        """
        COPY (SELECT 1::UTINYINT AS small, 5::HUGEINT AS huge, INTERVAL '1 year 2 days 3 seconds' AS span,
                '00112233-4455-6677-8899-aabbccddeeff'::UUID AS id, '2024-02-29 12:30:15.123'::TIMESTAMP_NS AS ns,
                '12:30:15.5'::TIME AS time, 1.5::DECIMAL(4, 1) AS d4, 1.5::DECIMAL(18, 3) AS d18,
                -12345678901234567890.5::DECIMAL(38, 1) AS d38, 'x'::ENUM('x', 'y') AS word, [[1, NULL], []] AS lists,
                {'a': 1, 'b': [{'c': 'd'}]} AS struct, MAP {'k': [1, 2]} AS map, 'ab'::BLOB AS blob)
        TO '%s' (FORMAT parquet, PARQUET_VERSION v2)
        """
        % (HERE / "duckdb.parquet")
    )


if __name__ == "__main__":
    main()
