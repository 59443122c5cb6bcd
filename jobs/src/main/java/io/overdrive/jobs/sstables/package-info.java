/** Files, or another table, into a table by SSTables: written here, and imported by the nodes. */
@NullMarked
package io.overdrive.jobs.sstables;

import org.jspecify.annotations.NullMarked;
