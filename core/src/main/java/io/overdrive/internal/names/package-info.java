/** Names of options in messages, suggestions for mistyped names, and a form of texts that any terminal can show. */
@NullMarked
package io.overdrive.internal.names;

import org.jspecify.annotations.NullMarked;
