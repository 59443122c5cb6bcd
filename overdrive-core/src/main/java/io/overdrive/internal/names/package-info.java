/** Names that users type: suggestions for mistyped ones. */
@NullMarked
package io.overdrive.internal.names;

import org.jspecify.annotations.NullMarked;
