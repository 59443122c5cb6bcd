/** Values of options that are not on the command line: from the environment, and from the configuration file. */
@NullMarked
package io.overdrive.cli.config;

import org.jspecify.annotations.NullMarked;
