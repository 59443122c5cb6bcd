/** How much may be under way at once, and how long requests took. */
@NullMarked
package io.overdrive.internal.flow;

import org.jspecify.annotations.NullMarked;
