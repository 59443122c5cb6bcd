package io.overdrive.internal.guard;

import org.jspecify.annotations.Nullable;

/**
 * Health figures that a node reports about itself. Immutable.
 *
 * @param dropped messages to and from other nodes that it has dropped since its start, as they were too old or too many; -1 if
 *     unknown
 * @param hintFiles files of hints that it holds for other nodes; -1 if unknown
 * @param pendingCompactions compactions that wait for a thread; -1 if unknown
 * @param disk how full its disks are, in Cassandra's words: SPACIOUS, STUFFED or FULL; null if unknown
 */
record NodeFigures(long dropped, long hintFiles, long pendingCompactions, @Nullable String disk) {}
