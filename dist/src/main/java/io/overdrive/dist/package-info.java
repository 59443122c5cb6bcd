/** Makes what a release consists of besides jars: man pages, licences, the Python package, the container image, checksums. */
@NullMarked
package io.overdrive.dist;

import org.jspecify.annotations.NullMarked;
