package io.overdrive.formats.text;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Splits the text of a collection, tuple, UDT or vector into its parts: {@code [a, b]}, <code>{a, b}</code>,
 * <code>{k: v}</code> or {@code (a, b)}. Confined to one thread; each container's parser has its own.
 *
 * <p>A part ends at a comma or colon that is outside of quotes and inner brackets, and is given to the parser of its
 * type, which splits further. That covers CQL literals, with strings in single quotes and doubled quotes within, and
 * JSON, with strings in double quotes; Jackson parses those with escapes.
 */
final class CqlLiteral {
    private static final JsonFactory JSON = new JsonFactory();

    /** Characters at which the search for the end of a part stops. */
    private static final boolean[] SPECIAL = new boolean[128];

    static {
        for (char c : new char[] {'\'', '"', '[', ']', '{', '}', '(', ')', ',', ':'}) {
            SPECIAL[c] = true;
        }
    }

    private final ValueText owner;
    private char[] chars = {};
    /** The whole literal, for messages. */
    private int from;

    private int to;
    /** Where the next part starts. */
    private int at;
    /** The closing bracket. */
    private int end;
    /** The part. */
    private int partFrom;

    private int partTo;
    private boolean first;
    private char[] scratch = {};

    CqlLiteral(ValueText owner) {
        this.owner = owner;
    }

    /** Starts over with a text and returns its opening bracket. */
    char open(char[] text, int textFrom, int textTo) {
        chars = text;
        from = ValueText.skipSpaces(text, textFrom, textTo);
        to = ValueText.trimEnd(text, from, textTo);
        char closing = to - from < 2 ? 0 : closing(text[from]);
        if (closing == 0 || closing != text[to - 1]) {
            throw malformed();
        }
        at = from + 1;
        end = to - 1;
        first = true;
        return text[from];
    }

    /** Moves to the next element; false at the end. */
    boolean next() {
        if (!nextField()) {
            return false;
        }
        checkNotEmpty();
        return true;
    }

    /** As {@link #next}, for a field of a tuple or UDT: it may be empty, which is how cqlsh writes null. */
    boolean nextField() {
        if (!hasNext()) {
            return false;
        }
        part(',');
        return true;
    }

    /** Moves to the next key, which ends with a colon; false at the end. The value is the next element. */
    boolean nextKey() {
        if (!hasNext()) {
            return false;
        }
        part(':');
        checkNotEmpty();
        return true;
    }

    /** Starts {@code inner} at the part and returns its opening bracket. */
    char openPart(CqlLiteral inner) {
        return inner.open(chars, partFrom, partTo);
    }

    /** Whether the part is the word null, or empty. */
    boolean isNull() {
        return partFrom == partTo || ValueText.isWord(chars, partFrom, partTo, "null");
    }

    /** Writes the part as a value of {@code parser}'s type. */
    void parse(ValueText parser, Bytes out) {
        char quote = chars[partFrom];
        if (quote == '\'' || quote == '"') {
            parseQuoted(quote, parser, out);
            return;
        }
        if (parser.isText() && !isWord()) {
            // text accepts anything, so an entry of a map would pass as an element
            throw new BadValueException(parser.got(chars, partFrom, partTo).getMessage() + " without quotes around it");
        }
        parser.parse(chars, partFrom, partTo, out);
    }

    /** The part as a name, in double quotes or unquoted. */
    String name() {
        char quote = chars[partFrom];
        if (quote != '"' && quote != '\'') {
            return new String(chars, partFrom, partTo - partFrom);
        }
        String inner = new String(chars, partFrom + 1, partTo - partFrom - 2);
        if (quote == '"' && inner.indexOf('\\') >= 0) {
            return new String(unescape(owner));
        }
        String one = String.valueOf(quote);
        return inner.replace(one + one, one);
    }

    BadValueException malformed() {
        return owner.got(chars, from, to);
    }

    /** Only the very first part may be missing: {@code [1,]} is malformed. */
    private boolean hasNext() {
        return first ? ValueText.skipSpaces(chars, at, end) < end : at <= end;
    }

    private void checkNotEmpty() {
        if (partFrom == partTo) {
            throw malformed();
        }
    }

    /** Whether the part contains neither spaces nor special characters. */
    private boolean isWord() {
        for (int i = partFrom; i < partTo; i++) {
            char c = chars[i];
            if (c <= ' ' || (c < 128 && SPECIAL[c])) {
                return false;
            }
        }
        return true;
    }

    /** Finds the end of the part that starts at the current position. */
    private void part(char separator) {
        int depth = 0;
        int i = at;
        for (; i < end; i++) {
            char c = chars[i];
            if (c >= 128 || !SPECIAL[c]) {
                continue;
            }
            if (c == '\'' || c == '"') {
                i = endOfQuotes(i);
            } else if (c == '[' || c == '{' || c == '(') {
                depth++;
            } else if (c == ']' || c == '}' || c == ')') {
                depth--;
            } else if (c == separator && depth == 0) {
                break;
            }
            if (depth < 0 || (depth == 0 && c == ',')) {
                throw malformed();
            }
        }
        if (depth != 0 || (i == end && separator == ':')) {
            throw malformed();
        }
        partFrom = ValueText.skipSpaces(chars, at, i);
        partTo = ValueText.trimEnd(chars, partFrom, i);
        checkQuotes();
        first = false;
        at = i + 1;
    }

    /** The index of the closing quote for the one at {@code start}; a doubled quote just starts another string. */
    private int endOfQuotes(int start) {
        char quote = chars[start];
        for (int i = start + 1; i < end; i++) {
            if (chars[i] == quote) {
                return i;
            }
            if (chars[i] == '\\' && quote == '"') {
                i++;
            }
        }
        throw malformed();
    }

    /** A part that starts with a quote must be one string. */
    private void checkQuotes() {
        char quote = partFrom == partTo ? ' ' : chars[partFrom];
        if (quote != '\'' && quote != '"') {
            return;
        }
        int i = endOfQuotes(partFrom);
        while (i < partTo - 1) {
            if (chars[i + 1] != quote) {
                throw malformed();
            }
            i = endOfQuotes(i + 1);
        }
    }

    private void parseQuoted(char quote, ValueText parser, Bytes out) {
        int contentTo = partTo - 1;
        for (int i = partFrom + 1; i < contentTo; i++) {
            if (chars[i] == quote) {
                parseDoubled(quote, parser, out);
                return;
            }
            if (chars[i] == '\\' && quote == '"') {
                char[] content = unescape(parser);
                parser.parse(content, 0, content.length, out);
                return;
            }
        }
        parser.parse(chars, partFrom + 1, contentTo, out);
    }

    private void parseDoubled(char quote, ValueText parser, Bytes out) {
        if (scratch.length < partTo - partFrom) {
            scratch = new char[partTo - partFrom];
        }
        int length = 0;
        for (int i = partFrom + 1; i < partTo - 1; i++) {
            scratch[length++] = chars[i];
            if (chars[i] == quote) {
                i++;
            }
        }
        parser.parse(scratch, 0, length, out);
    }

    /** The content of the part, a JSON string, for {@code user}. */
    private char[] unescape(ValueText user) {
        try (JsonParser json = JSON.createParser(chars, partFrom, partTo - partFrom)) {
            json.nextToken();
            char[] content = json.getText().toCharArray();
            if (json.nextToken() == null) {
                return content;
            }
        } catch (JacksonException e) {
            // invalid, reported below
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw user.got(chars, partFrom, partTo);
    }

    private static char closing(char opening) {
        return switch (opening) {
            case '[' -> ']';
            case '{' -> '}';
            case '(' -> ')';
            default -> 0;
        };
    }
}
