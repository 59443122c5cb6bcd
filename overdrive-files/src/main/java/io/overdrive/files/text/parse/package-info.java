/**
 * Text and JSON to CQL bytes: a class for each type, so that messages can name it. Start at {@link
 * io.overdrive.files.text.parse.ValueParser}.
 */
@NullMarked
package io.overdrive.files.text.parse;

import org.jspecify.annotations.NullMarked;
