/**
 * Writes and reads SSTables, the files in which Cassandra keeps a table; values of rows are in wire form. A node takes them by
 * import, for a fiftieth of what the same rows cost it over CQL. The format is BIG, version {@code nb}, which all nodes from
 * Cassandra 4.0 on read.
 *
 * <p>{@link io.overdrive.sstable.write.SstableWriter} is the way in: {@code RowEncoder} makes the bytes of a row, {@code DataFile} cuts
 * them into compressed chunks, {@code IndexFile} has the place of each partition, and {@code Statistics} what the node needs to
 * know of the whole.
 *
 * <p>{@link io.overdrive.sstable.read.SstableMerge} reads the rows of any number of SSTables, also of version {@code oa}, as the server would
 * show them: {@code DataReader} unpacks the chunks of an {@link io.overdrive.sstable.read.SstableFile}, {@code SstableCursor} finds rows and
 * the bounds of deleted ranges in them, {@code BodyReader} the cells of a row, and {@code RowCells} is one SSTable's version of it.
 */
@NullMarked
package io.overdrive.sstable;

import org.jspecify.annotations.NullMarked;
