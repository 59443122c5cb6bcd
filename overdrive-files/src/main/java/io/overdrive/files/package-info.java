/** See the module's description in ARCHITECTURE.md. Public types are for other modules of Overdrive, not for users. */
@NullMarked
package io.overdrive.files;

import org.jspecify.annotations.NullMarked;
