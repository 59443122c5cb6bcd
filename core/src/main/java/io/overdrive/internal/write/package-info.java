/** From rows to acknowledged requests. */
@NullMarked
package io.overdrive.internal.write;

import org.jspecify.annotations.NullMarked;
