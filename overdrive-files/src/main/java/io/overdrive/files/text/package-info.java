/** How values are spelt as text, and what is said of one that its column cannot hold. */
@NullMarked
package io.overdrive.files.text;

import org.jspecify.annotations.NullMarked;
