/** Hands SSTables over to nodes, which import them. */
@NullMarked
package io.overdrive.sstable.handover;

import org.jspecify.annotations.NullMarked;
