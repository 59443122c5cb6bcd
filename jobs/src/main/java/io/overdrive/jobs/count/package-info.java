/** How many rows a table has, and its token ranges, nodes and partitions. */
@NullMarked
package io.overdrive.jobs.count;

import org.jspecify.annotations.NullMarked;
