/** Turns records into rows of a table; records that cannot be rows are saved as rejects. */
@NullMarked
package io.overdrive.jobs.load;

import org.jspecify.annotations.NullMarked;
