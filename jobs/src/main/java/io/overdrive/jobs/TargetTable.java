package io.overdrive.jobs;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;

/** The table that a job fills and does not create. Stateless. */
public final class TargetTable {
    private TargetTable() {}

    /**
     * The table.
     *
     * @throws OverdriveException of kind SCHEMA if it is missing, which names the option that creates it
     */
    public static TableSchema of(Overdrive overdrive, String keyspace, String table) {
        try {
            return overdrive.table(keyspace, table);
        } catch (OverdriveException e) {
            throw e.kind() == Kind.SCHEMA
                    ? new OverdriveException(
                            Kind.SCHEMA,
                            words -> MessageText.of(e).in(words) + " (" + words.of(JobOption.CREATE) + " creates a"
                                    + " missing table)",
                            e)
                    : e;
        }
    }
}
