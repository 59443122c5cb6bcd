package io.overdrive.jobs.sort;

import io.overdrive.internal.names.MessageText;
import java.nio.file.Path;

/**
 * Where entries that do not fit in memory are written. Immutable.
 *
 * @param directory an existing one
 * @param content of the entries, such as "rows", for messages
 * @param wayOut what to do if the directory is full, for messages
 */
public record SpillPlace(Path directory, String content, MessageText wayOut) {}
