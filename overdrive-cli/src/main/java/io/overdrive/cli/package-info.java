/** See the module's description in ARCHITECTURE.md. */
@NullMarked
package io.overdrive.cli;

import org.jspecify.annotations.NullMarked;
