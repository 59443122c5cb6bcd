/** See the module's description in ARCHITECTURE.md. */
@NullMarked
package io.overdrive.files;

import org.jspecify.annotations.NullMarked;
