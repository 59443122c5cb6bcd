/** The public API of Overdrive. */
@NullMarked
package io.overdrive;

import org.jspecify.annotations.NullMarked;
