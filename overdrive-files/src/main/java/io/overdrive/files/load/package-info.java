/** From records to rows of a table; what cannot be a row is kept as a reject. */
@NullMarked
package io.overdrive.files.load;

import org.jspecify.annotations.NullMarked;
