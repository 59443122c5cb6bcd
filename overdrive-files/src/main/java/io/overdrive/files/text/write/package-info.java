/**
 * CQL bytes to text and JSON that the parsers read as the same bytes: a class for each type. Start at {@link
 * io.overdrive.files.text.write.ValueWriter}.
 */
@NullMarked
package io.overdrive.files.text.write;

import org.jspecify.annotations.NullMarked;
