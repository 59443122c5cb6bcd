/** The text form of values, and the error for a value that its column cannot hold. */
@NullMarked
package io.overdrive.files.text;

import org.jspecify.annotations.NullMarked;
