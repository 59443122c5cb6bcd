package io.overdrive.formats.records;

/**
 * Finds record ends of a JSON document: the elements of an array, or a sequence of objects, however they are broken
 * into lines. Follows only strings, escapes and brackets; the parser checks whether an element is valid JSON. Confined
 * to one thread.
 *
 * <p>Text between records (blanks, commas, the brackets of the array itself) belongs to the next record.
 */
final class JsonScanner implements RecordScanner {
    private static final int LINES_TO_JUDGE_BY = 100;

    private boolean inArray;
    private int start;
    private int count;

    /** @param inArray whether the first byte lies within the array of records */
    JsonScanner(boolean inArray) {
        this.inArray = inArray;
    }

    boolean inArray() {
        return inArray;
    }

    /** The start of the record that {@link #next} found. */
    int start() {
        return start;
    }

    @Override
    public boolean isBlank() {
        return false;
    }

    /** {@inheritDoc} If only characters between records are left, -1 even if {@code last}. */
    @Override
    public int next(byte[] bytes, int from, int to, boolean last) {
        boolean within = inArray;
        int i = from;
        while (i < to) {
            int b = bytes[i];
            if (b == '[' && !within) {
                within = true;
            } else if (b == ']' && within) {
                within = false;
            } else if (b != ',' && !isBlank(b)) {
                int end = endOfValue(bytes, i, to, last);
                if (end >= 0) {
                    inArray = within;
                    start = i;
                }
                return end;
            }
            i++;
        }
        return -1;
    }

    @Override
    public int countLineEnds(byte[] bytes, int from, int to) {
        return ByteScan.count(bytes, from, to, '\n');
    }

    @Override
    public int cut(byte[] bytes, int to) {
        count = 0;
        int cut = 0;
        for (int end = next(bytes, 0, to, false); end >= 0; end = next(bytes, end, to, false)) {
            cut = end;
            count++;
        }
        return cut;
    }

    /**
     * Whether the array of records is still open at the end of the input.
     *
     * @param from where the last record ended that {@link #cut} found
     */
    boolean isArrayOpen(byte[] bytes, int from, int to) {
        boolean within = inArray;
        for (int i = from; i < to; i++) {
            int b = bytes[i];
            if (b == '[' && !within) {
                within = true;
            } else if (b == ']' && within) {
                within = false;
            } else if (b != ',' && !isBlank(b)) {
                return within; // an incomplete record
            }
        }
        return within;
    }

    @Override
    public int count() {
        return count;
    }

    private static int endOfValue(byte[] bytes, int from, int to, boolean last) {
        int depth = 0;
        int i = from;
        while (i < to) {
            int b = bytes[i++];
            if (b == '"') {
                i = afterString(bytes, i, to);
                if (i < 0) {
                    break;
                }
            } else if (b == '{' || b == '[') {
                depth++;
            } else if (b == '}' || b == ']') {
                depth--;
            } else if (depth == 0) {
                // a number or a word, which is not a record, but has to end somewhere
                while (i < to && !isBlank(bytes[i]) && ",[]{}\"".indexOf(bytes[i]) < 0) {
                    i++;
                }
                if (i == to) {
                    break;
                }
            }
            if (depth <= 0) {
                return i;
            }
        }
        return last ? to : -1;
    }

    private static int afterString(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            int b = bytes[i];
            if (b == '"') {
                return i + 1;
            }
            if (b == '\\') {
                i++;
            }
        }
        return -1;
    }

    static int afterBlanks(byte[] bytes, int from, int to) {
        int i = from;
        while (i < to && isBlank(bytes[i])) {
            i++;
        }
        return i;
    }

    /**
     * Whether the file that starts with these bytes has one record per line: most of its first lines are whole objects,
     * so a few damaged lines, or a few records of several lines, do not change how the file is read. Any other file
     * that starts with a bracket is a document; anything else is read by lines, each of them malformed.
     */
    static boolean isLines(byte[] bytes, int to, boolean last) {
        int i = afterBlanks(bytes, 0, to);
        if (i == to) {
            return last;
        }
        if (bytes[i] != '{' && bytes[i] != '[') {
            return true;
        }
        if (bytes[i] == '[') {
            return false;
        }
        int lines = 0;
        int records = 0;
        while (i < to && lines < LINES_TO_JUDGE_BY) {
            int lineEnd = ByteScan.indexOf(bytes, i, to, '\n');
            if (lineEnd < 0 && !last) {
                break;
            }
            lines++;
            int limit = lineEnd < 0 ? to : lineEnd;
            if (bytes[i] == '{') {
                int end = endOfValue(bytes, i, limit, false);
                records += end >= 0 && afterBlanks(bytes, end, limit) == limit ? 1 : 0;
            }
            i = afterBlanks(bytes, limit, to);
        }
        return records > lines / 2;
    }

    /** Whether these bytes contain at least one whole line that is not blank, as {@link #isLines} needs. */
    static boolean hasLine(byte[] bytes, int to) {
        return ByteScan.indexOf(bytes, afterBlanks(bytes, 0, to), to, '\n') >= 0;
    }

    private static boolean isBlank(int b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }
}
