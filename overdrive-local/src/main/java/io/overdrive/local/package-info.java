/** See the module's description in ARCHITECTURE.md. */
@NullMarked
package io.overdrive.local;

import org.jspecify.annotations.NullMarked;
