package io.overdrive.internal.scan;

import io.overdrive.Split;
import io.overdrive.Split.Range;
import java.util.ArrayDeque;
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
        RowCounts numbers = new RowCounts(columns.size());
        for (Page page = from.take(); page != null; page = from.take()) {
            numbers.add(page);
        }
        numbers.end();
        return numbers.take(of.start(), of.end(), /* endsRange */ true);
    }
}
