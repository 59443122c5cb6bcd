/**
 * The text form of values, in both directions: a class for each type, so that messages can name it, and the error for a
 * value that its column cannot hold. Start at {@link io.overdrive.files.text.ValueText}.
 */
@NullMarked
package io.overdrive.files.text;

import org.jspecify.annotations.NullMarked;
