/** Writes SSTables. */
@NullMarked
package io.overdrive.sstable.write;

import org.jspecify.annotations.NullMarked;
