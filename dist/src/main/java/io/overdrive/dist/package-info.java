/** Makes the parts of a release other than jars: man pages, licences, the Python package, the container image, checksums. */
@NullMarked
package io.overdrive.dist;

import org.jspecify.annotations.NullMarked;
