/**
 * Files as records: blocks, records and their fields on the way in, by {@link io.overdrive.formats.records.InputReader}; cells,
 * records and files on the way out, by {@link io.overdrive.formats.records.RecordWriter}.
 */
@NullMarked
package io.overdrive.formats.records;

import org.jspecify.annotations.NullMarked;
