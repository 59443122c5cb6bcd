/**
 * Writes SSTables, the files in which Cassandra keeps a table, from rows whose values are in wire form. A node takes them by
 * import, for a fiftieth of what the same rows cost it by CQL. The format is BIG, version {@code nb}, which all nodes from
 * Cassandra 4.0 on read.
 *
 * <p>{@link io.overdrive.sstable.SstableWriter} is the way in: {@code RowEncoder} makes the bytes of a row, {@code DataFile} cuts
 * them into compressed chunks, {@code IndexFile} has the place of each partition, and {@code Statistics} what the node needs to
 * know of the whole.
 */
@NullMarked
package io.overdrive.sstable;

import org.jspecify.annotations.NullMarked;
