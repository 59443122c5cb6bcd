/** Our requests over the driver's connections. */
@NullMarked
package io.overdrive.internal.wire;

import org.jspecify.annotations.NullMarked;
