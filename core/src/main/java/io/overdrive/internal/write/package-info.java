/** Turns rows into acknowledged requests. */
@NullMarked
package io.overdrive.internal.write;

import org.jspecify.annotations.NullMarked;
