/** Lists of the files of an unload, which show whether all are there. */
@NullMarked
package io.overdrive.formats.manifest;

import org.jspecify.annotations.NullMarked;
