package io.overdrive.jobs.verify;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.jobs.KeyJson;
import io.overdrive.jobs.ValueForm;
import io.overdrive.jobs.diff.Difference;
import io.overdrive.jobs.sort.Entry;
import io.overdrive.jobs.sort.EntryLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Walks through the rows of the files and those of the table in step, and finds the rows of the files that the table does not
 * have, or has with other values. Confined to its thread.
 */
final class VerifyWalk {
    private final EntryLayout layout;
    private final Findings findings;
    private final ValueForm[] forms;
    private final KeyJson keys;
    private final KeyJson partitions;

    VerifyWalk(EntryLayout layout, Findings findings) {
        this.layout = layout;
        this.findings = findings;
        forms = IntStream.range(0, layout.columns())
                .mapToObj(c -> ValueForm.of(layout.type(c)))
                .toArray(ValueForm[]::new);
        keys = keys(layout.keyColumns());
        partitions = keys(layout.partitionColumns());
    }

    private KeyJson keys(int columns) {
        List<DataType> types =
                IntStream.range(0, columns).mapToObj(layout::type).toList();
        return new KeyJson(layout.names().subList(0, columns), types);
    }

    /** Compares the rows of one token range; false if it was stopped before the end. */
    boolean compare(ExpectedRows expected, TableRows table) {
        boolean hasRow = table.next();
        while (expected.next()) {
            if (findings.stopping) {
                return false;
            }
            int side = 1;
            while (hasRow && (side = compareKeys(table, expected)) < 0) {
                hasRow = table.next();
            }
            boolean isFound = hasRow && side == 0;
            findings.repeated.add(Math.max(0, expected.records() - 1));
            if (expected.isStatics()) {
                compareStatics(expected, table, isFound);
            } else {
                compareRow(expected, table, isFound);
            }
        }
        return true;
    }

    /** Which comes first; 0 for the same row, or for static columns and any row of their partition. */
    private int compareKeys(TableRows table, ExpectedRows expected) {
        int order = Long.compare(table.token(), expected.token());
        if (order == 0) {
            order = layout.order().comparePartitionKeys(table, expected);
        }
        if (order != 0 || expected.isStatics()) {
            return order;
        }
        boolean hasClustering = layout.keyColumns() > layout.partitionColumns();
        if (hasClustering && table.length(layout.partitionColumns()) < 0) {
            return -1; // only the static columns of a partition without rows
        }
        return layout.order().compareClustering(table, expected);
    }

    private void compareRow(ExpectedRows expected, TableRows table, boolean isFound) {
        findings.compared.increment();
        if (!isFound) {
            findings.report(new Difference(Difference.Kind.MISSING_RIGHT, keys.json(expected.key()), List.of()));
            return;
        }
        List<String> names = differing(expected, table);
        if (names.isEmpty()) {
            findings.same.increment();
        } else {
            findings.report(new Difference(Difference.Kind.DIFFERENT, keys.json(expected.key()), names));
        }
    }

    private void compareStatics(ExpectedRows expected, TableRows table, boolean isFound) {
        boolean isRecord = expected.records() > 0;
        if (isRecord) {
            findings.compared.increment();
        }
        List<String> names = isFound ? differing(expected, table) : List.of();
        if (!names.isEmpty()) {
            findings.report(new Difference(Difference.Kind.DIFFERENT, partitions.json(expected.key()), names));
        } else if (!isFound && isRecord && hasValue(expected)) {
            // else rows of this partition follow, and each is missing
            findings.report(new Difference(Difference.Kind.MISSING_RIGHT, partitions.json(expected.key()), List.of()));
        } else if (isRecord) {
            findings.same.increment();
        }
    }

    private List<String> differing(ExpectedRows expected, TableRows table) {
        List<String> names = List.of();
        for (int c : layout.values(expected.isStatics())) {
            if (expected.length(c) == Entry.UNSET
                    || forms[c].isSame(
                            expected.array(),
                            expected.offset(c),
                            expected.length(c),
                            table.array(),
                            table.offset(c),
                            table.length(c))) {
                continue;
            }
            if (names.isEmpty()) {
                names = new ArrayList<>();
            }
            names.add(layout.name(c));
        }
        return names;
    }

    private boolean hasValue(ExpectedRows expected) {
        for (int c : layout.values(expected.isStatics())) {
            if (!forms[c].isNull(expected.array(), expected.offset(c), expected.length(c))) {
                return true;
            }
        }
        return false;
    }
}
