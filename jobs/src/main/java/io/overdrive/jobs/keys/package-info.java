/** Rows of a table whose keys are in files. */
@NullMarked
package io.overdrive.jobs.keys;

import org.jspecify.annotations.NullMarked;
