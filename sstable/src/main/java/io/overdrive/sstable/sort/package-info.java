/** Sorts the rows of a token range as they are in memory or on disk, before they are written. */
@NullMarked
package io.overdrive.sstable.sort;

import org.jspecify.annotations.NullMarked;
