/** The parts of Cassandra's own files that writing and reading have in common. */
@NullMarked
package io.overdrive.sstable.format;

import org.jspecify.annotations.NullMarked;
