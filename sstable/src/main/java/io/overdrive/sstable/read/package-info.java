/** Reads SSTables, of one table and several files at once. */
@NullMarked
package io.overdrive.sstable.read;

import org.jspecify.annotations.NullMarked;
