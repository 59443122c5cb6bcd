/** Reads token ranges as pages of rows. */
@NullMarked
package io.overdrive.internal.scan;

import org.jspecify.annotations.NullMarked;
