/** Files compared with the table that they were loaded into. */
@NullMarked
package io.overdrive.jobs.verify;

import org.jspecify.annotations.NullMarked;
