/** From the rows of a table or query to files. */
@NullMarked
package io.overdrive.files.unload;

import org.jspecify.annotations.NullMarked;
