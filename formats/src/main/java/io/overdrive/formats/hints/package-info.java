/** Hints for users: the meaning that text of a date, a time or a number may have had that is no value of its column. */
@NullMarked
package io.overdrive.formats.hints;

import org.jspecify.annotations.NullMarked;
