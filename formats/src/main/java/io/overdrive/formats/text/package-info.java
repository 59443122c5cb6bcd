/**
 * The text form of values, in both directions: a class for each type, so that messages can name it, and the error for a
 * value that its column cannot hold. Start at {@link io.overdrive.formats.text.ValueText}.
 */
@NullMarked
package io.overdrive.formats.text;

import org.jspecify.annotations.NullMarked;
