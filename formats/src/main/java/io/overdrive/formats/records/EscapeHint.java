package io.overdrive.formats.records;

import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;

/**
 * Recognizes rejected CSV records in which the escape character has another meaning than the options say. Static and pure;
 * off the hot path.
 */
final class EscapeHint {
    private EscapeHint() {}

    /** The end of a message that names the option by which the record may be read; empty if it does not look like that. */
    static MessageText of(FileHeader header, byte[] raw) {
        InputFormat format = header.format();
        String record = new String(raw, header.encoding());
        if (format.escape() == null) {
            return format.quote() != null && record.contains("\\" + format.quote())
                    ? words -> "; if \\" + format.quote() + " stands for a quote in this file, give "
                            + words.of(JobOption.DIALECT) + " dsbulk, spark or cqlsh, by the tool that wrote it"
                    : MessageText.EMPTY;
        }
        boolean mayBeInQuotesOnly = format.escaping() == InputFormat.Escaping.ANYWHERE
                && (record.endsWith(format.escape().toString())
                        || record.contains(format.escape() + "\n")
                        || record.contains(format.escape() + "\r\n"));
        return mayBeInQuotesOnly
                ? words -> "; if " + format.escape() + " counts only in quotes in this file, give "
                        + words.of(JobOption.DIALECT) + " dsbulk or spark in place of " + words.of(JobOption.ESCAPE)
                : MessageText.EMPTY;
    }
}
