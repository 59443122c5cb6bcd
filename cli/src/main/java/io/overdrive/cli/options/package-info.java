/** Options that commands share, and the values, names and help of options. */
@NullMarked
package io.overdrive.cli.options;

import org.jspecify.annotations.NullMarked;
