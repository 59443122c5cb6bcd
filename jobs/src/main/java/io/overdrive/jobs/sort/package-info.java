/** Records of files in the order of a table's rows, sorted in memory and on disk. */
@NullMarked
package io.overdrive.jobs.sort;

import org.jspecify.annotations.NullMarked;
