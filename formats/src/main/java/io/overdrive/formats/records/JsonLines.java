package io.overdrive.formats.records;

/** Finds record ends of JSON with one record per line. Confined to one thread. */
final class JsonLines implements RecordScanner {
    private boolean blank;
    private int count;

    @Override
    public int next(byte[] bytes, int from, int to, boolean last) {
        int lineEnd = ByteScan.indexOf(bytes, from, to, '\n');
        int end = lineEnd >= 0 ? lineEnd + 1 : last && from < to ? to : -1;
        blank = end >= 0 && JsonScanner.afterBlanks(bytes, from, end) == end;
        return end;
    }

    @Override
    public boolean isBlank() {
        return blank;
    }

    @Override
    public int countLineEnds(byte[] bytes, int from, int to) {
        return ByteScan.count(bytes, from, to, '\n');
    }

    @Override
    public int cut(byte[] bytes, int to) {
        int cut = to;
        while (cut > 0 && bytes[cut - 1] != '\n') {
            cut--;
        }
        count = countLineEnds(bytes, 0, cut);
        return cut;
    }

    @Override
    public int count() {
        return count;
    }
}
