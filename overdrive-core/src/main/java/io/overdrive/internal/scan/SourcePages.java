package io.overdrive.internal.scan;

import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.internal.codec.Bytes;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pages of one split from a {@link RowSource}, in the form that the query asks for: rows, or numbers of rows. For one thread at a time. */
public final class SourcePages implements Pages {
    private final Fetcher fetcher;
    private final RowSource source;
    private final boolean counts;
    private final List<String> columns;
    private final Deque<Range> ranges;
    private @Nullable Range range;
    private @Nullable Pages pages;

    public SourcePages(Fetcher fetcher, RowSource source, Split split) {
        this.fetcher = fetcher;
        this.source = source;
        List<String> names = fetcher.layout.columns.names();
        this.counts = fetcher.layout.query.isAggregate() || fetcher.layout.query.hasGroupBy();
        this.columns = counts ? names.subList(0, names.size() - 1) : names;
        this.ranges = new ArrayDeque<>(split.ranges());
    }

    @Override
    public @Nullable Page take() {
        Page page = null;
        while (page == null && (pages != null || !ranges.isEmpty())) {
            Range now = range;
            Pages from = pages;
            if (now == null || from == null) {
                now = ranges.remove();
                from = source.open(now, columns);
                range = now;
                pages = from;
            }
            page = counts ? count(now, from) : from.take();
            if (page == null || counts) {
                pages = null;
            }
        }
        if (page != null) {
            fetcher.given(page);
        }
        return page;
    }

    /** All rows of a range, counted: one number, or one for each partition. */
    private Page count(Range of, Pages from) {
        Bytes body = new Bytes(64);
        byte[] key = {};
        long inPartition = 0;
        int partitions = 0;
        for (Page page = from.take(); page != null; page = from.take()) {
            int at = page.start();
            for (int row = 0; row < page.rows(); row++) {
                int end = at;
                for (int c = 0; c < columns.size(); c++) {
                    end += 4 + Math.max(0, Bytes.getInt(page.body(), end));
                }
                if (inPartition > 0 && !Arrays.equals(key, 0, key.length, page.body(), at, end)) {
                    add(body, key, inPartition);
                    partitions++;
                    inPartition = 0;
                }
                if (inPartition == 0) {
                    key = Arrays.copyOfRange(page.body(), at, end);
                }
                inPartition++;
                at = end;
            }
        }
        if (inPartition > 0 || columns.isEmpty()) {
            add(body, key, inPartition);
            partitions++;
        }
        return new Page(body.toByteArray(), 0, partitions, of.start(), of.end(), /* endsRange */ true);
    }

    private static void add(Bytes body, byte[] key, long rows) {
        body.put(key);
        body.putInt(8);
        body.putLong(rows);
    }
}
