/** From one table to another, without files. */
@NullMarked
package io.overdrive.files.copy;

import org.jspecify.annotations.NullMarked;
