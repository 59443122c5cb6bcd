/** Directories and files on local disks. */
@NullMarked
package io.overdrive.internal.disk;

import org.jspecify.annotations.NullMarked;
