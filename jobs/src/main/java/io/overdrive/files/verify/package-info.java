/** Files compared with the table that they were loaded into. */
@NullMarked
package io.overdrive.files.verify;

import org.jspecify.annotations.NullMarked;
