/** Names and texts that users type: suggestions for mistyped ones, and a form that any terminal can show. */
@NullMarked
package io.overdrive.internal.names;

import org.jspecify.annotations.NullMarked;
