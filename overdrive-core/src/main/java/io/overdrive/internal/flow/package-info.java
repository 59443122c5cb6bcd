/** How much may be under way at once. */
@NullMarked
package io.overdrive.internal.flow;

import org.jspecify.annotations.NullMarked;
