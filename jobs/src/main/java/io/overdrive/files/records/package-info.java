/**
 * Files as records: blocks, records and their fields on the way in, by {@link io.overdrive.files.records.InputReader}; cells,
 * records and files on the way out, by {@link io.overdrive.files.records.RecordWriter}.
 */
@NullMarked
package io.overdrive.files.records;

import org.jspecify.annotations.NullMarked;
