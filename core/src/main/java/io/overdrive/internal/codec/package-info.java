/** Java values to CQL bytes and back. */
@NullMarked
package io.overdrive.internal.codec;

import org.jspecify.annotations.NullMarked;
