package io.overdrive.sstable.sort;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.ClusteringOrder;
import java.util.Arrays;

/** Orders records as an SSTable does, and records of one row by write time. Immutable; on the hot path. */
public final class RecordOrder {
    private final int partitionColumns;
    private final ClusteringOrder[] orders;

    /** @param orders of the clustering columns, whose values follow those of the partition key */
    public RecordOrder(int partitionColumns, ClusteringOrder[] orders) {
        this.partitionColumns = partitionColumns;
        this.orders = orders;
    }

    int compare(byte[] a, int i, byte[] b, int j) {
        int order = compareRows(a, i, b, j);
        return order != 0 ? order : Long.compare(RowRecord.writeTime(a, i), RowRecord.writeTime(b, j));
    }

    /** 0 if both are about one row, or about the static columns of one partition. */
    public int compareRows(byte[] a, int i, byte[] b, int j) {
        int order = comparePartitions(a, i, b, j);
        if (order == 0) {
            order = RowRecord.kind(a, i) - RowRecord.kind(b, j);
        }
        return order != 0 || RowRecord.kind(a, i) == RowRecord.STATICS ? order : compareClustering(a, i, b, j);
    }

    public int comparePartitions(byte[] a, int i, byte[] b, int j) {
        int order = Long.compare(RowRecord.token(a, i), RowRecord.token(b, j));
        if (order != 0) {
            return order;
        }
        int aKey = RowRecord.keyFrom(i);
        int bKey = RowRecord.keyFrom(j);
        return Arrays.compareUnsigned(
                a, aKey, aKey + RowRecord.keyLength(a, i), b, bKey, bKey + RowRecord.keyLength(b, j));
    }

    private int compareClustering(byte[] a, int i, byte[] b, int j) {
        int aValue = RowRecord.valuesFrom(a, i) + 4 * partitionColumns;
        int bValue = RowRecord.valuesFrom(b, j) + 4 * partitionColumns;
        for (ClusteringOrder each : orders) {
            int aLength = Bytes.getInt(a, aValue);
            int bLength = Bytes.getInt(b, bValue);
            int order = each.compare(a, aValue + 4, aLength, b, bValue + 4, bLength);
            if (order != 0) {
                return order;
            }
            aValue += 4 + aLength;
            bValue += 4 + bLength;
        }
        return 0;
    }
}
