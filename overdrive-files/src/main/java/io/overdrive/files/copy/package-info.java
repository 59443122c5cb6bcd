/** From one table to another, without a file between. */
@NullMarked
package io.overdrive.files.copy;

import org.jspecify.annotations.NullMarked;
