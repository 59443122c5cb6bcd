package io.overdrive.internal.cql;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * An INSERT, UPDATE or DELETE in tokens, as the server's lexer splits it, and what follows from them: which marker is the write
 * time, which names occur, and whether it may run twice. Immutable.
 */
public final class CqlStatement {
    private static final Pattern TOKEN = Pattern.compile(
            "(?<string>'[^']*+(?:''[^']*+)*+'|\\$\\$.*?\\$\\$)"
                    + "|\"(?<name>[^\"]*+(?:\"\"[^\"]*+)*+)\""
                    + "|(?<number>\\p{XDigit}{8}(?:-\\p{XDigit}{4}){3}-\\p{XDigit}{12}\\b|\\d+(?:\\.\\d+)?[eE][+-]?\\d+)"
                    + "|(?<word>\\w+)"
                    + "|(?<sign>\\S)",
            Pattern.DOTALL);

    /** Keywords and signs in {@link #words} that make a second run of a statement differ from the first. */
    private static final Pattern NON_IDEMPOTENT = Pattern.compile(
            "\\bif\\b|[\\w?\\]})]\\s*[+-]|\\b(now|uuid|current_?(timestamp|timeuuid|time|date))\\s*\\(");

    private static final Pattern CONDITION = Pattern.compile("\\bif\\b");

    private static final Pattern SEVERAL_PARTITIONS = Pattern.compile("\\bin\\b|^begin\\b");

    private enum Kind {
        /** A keyword, an identifier without quotes or a whole number, in lower case. */
        WORD,
        /** An identifier in quotes, without them. */
        NAME,
        STRING,
        NUMBER,
        /** {@code ?} or {@code :name}; the text is the name. */
        MARKER,
        SIGN
    }

    private record Token(Kind kind, String text) {
        boolean is(String other) {
            return (kind == Kind.WORD || kind == Kind.SIGN) && text.equals(other);
        }
    }

    /** Where the write time of a statement's rows comes from. */
    public enum WriteTime {
        /** The statement has no USING TIMESTAMP. */
        NONE,
        /** One of its markers; see {@link #writeTimeMarker}. */
        MARKER,
        /** A number in the statement, the same for all rows. */
        LITERAL
    }

    private final String text;
    private final List<Token> tokens = new ArrayList<>();
    private final int using;
    private final WriteTime writeTime;
    private final int writeTimeMarker;

    public CqlStatement(String cql) {
        text = CqlText.bare(cql);
        Matcher token = TOKEN.matcher(text);
        int braces = 0;
        while (token.find()) {
            Token next = token(token);
            braces += next.is("{") ? 1 : next.is("}") ? -1 : 0;
            if (isMarkersColon(braces) && (next.kind == Kind.WORD || next.kind == Kind.NAME)) {
                next = new Token(Kind.MARKER, next.text);
                tokens.remove(tokens.size() - 1);
            }
            tokens.add(next);
        }
        using = indexOfUsing();
        int value = indexOfWriteTime();
        boolean isMarker = value >= 0 && tokens.get(value).kind == Kind.MARKER;
        writeTime = value < 0 ? WriteTime.NONE : isMarker ? WriteTime.MARKER : WriteTime.LITERAL;
        writeTimeMarker = isMarker ? markersBefore(value) : -1;
    }

    /** USING is a reserved word: no identifier without quotes has that name. */
    private int indexOfUsing() {
        return IntStream.range(0, tokens.size())
                .filter(i -> tokens.get(i).is("using"))
                .findFirst()
                .orElse(-1);
    }

    /** The clause is {@code USING TIMESTAMP value AND TTL value}, with either part or both, in either order. */
    private int indexOfWriteTime() {
        for (int i = using + 1; using >= 0 && i + 1 < tokens.size(); i += 3) {
            if (tokens.get(i).is("timestamp")) {
                return i + 1;
            }
            if (i + 2 >= tokens.size() || !tokens.get(i + 2).is("and")) {
                return -1;
            }
        }
        return -1;
    }

    private static Token token(Matcher token) {
        if (token.group("string") != null) {
            return new Token(Kind.STRING, "");
        }
        String name = token.group("name");
        if (name != null) {
            return new Token(Kind.NAME, name.replace("\"\"", "\""));
        }
        if (token.group("number") != null) {
            return new Token(Kind.NUMBER, "");
        }
        String word = token.group("word");
        if (word != null) {
            return new Token(Kind.WORD, word.toLowerCase(Locale.ROOT));
        }
        String sign = token.group("sign");
        return new Token(sign.equals("?") ? Kind.MARKER : Kind.SIGN, sign);
    }

    /** Whether the last token is the colon of a marker; in braces, one that follows a key is part of the literal. */
    private boolean isMarkersColon(int braces) {
        if (tokens.isEmpty() || !tokens.get(tokens.size() - 1).is(":")) {
            return false;
        }
        if (braces == 0 || tokens.size() == 1) {
            return true;
        }
        Token before = tokens.get(tokens.size() - 2);
        return before.kind == Kind.SIGN && !before.is("}") && !before.is("]") && !before.is(")");
    }

    private int markersBefore(int end) {
        return (int) tokens.subList(0, end).stream()
                .filter(token -> token.kind == Kind.MARKER)
                .count();
    }

    /** The statement without comments and without the semicolon at its end. */
    public String text() {
        return text;
    }

    /** Whether its first word is this one, which is in lower case. */
    public boolean startsWith(String word) {
        return !tokens.isEmpty() && tokens.get(0).is(word);
    }

    /** Whether it is one that writes rows, or a batch of such. */
    public boolean writes() {
        return Stream.of("insert", "update", "delete", "begin").anyMatch(this::startsWith);
    }

    /** Whether it has a USING clause. */
    public boolean hasUsing() {
        return using >= 0;
    }

    public WriteTime writeTime() {
        return writeTime;
    }

    /** The number of the marker that is the write time, counted from 0; -1 if none is. */
    public int writeTimeMarker() {
        return writeTimeMarker;
    }

    /** The write time that the statement has for all rows, in microseconds since 1970; empty if it has none. */
    public OptionalLong writeTimeLiteral() {
        if (writeTime != WriteTime.LITERAL) {
            return OptionalLong.empty();
        }
        int value = indexOfWriteTime();
        boolean isNegative = tokens.get(value).is("-") && value + 1 < tokens.size();
        try {
            long digits = Long.parseLong(tokens.get(isNegative ? value + 1 : value).text);
            return OptionalLong.of(isNegative ? -digits : digits);
        } catch (NumberFormatException e) {
            return OptionalLong.empty(); // not a number that the server accepts
        }
    }

    public int markers() {
        return markersBefore(tokens.size());
    }

    /** The name of a marker as the server returns it, or {@code ?}. */
    public String marker(int number) {
        return tokens.stream()
                .filter(token -> token.kind == Kind.MARKER)
                .skip(number)
                .findFirst()
                .orElseThrow()
                .text;
    }

    /** Whether an identifier other than a marker has exactly this name. */
    boolean names(String identifier) {
        return tokens.stream()
                .anyMatch(
                        token -> (token.kind == Kind.WORD || token.kind == Kind.NAME) && token.text.equals(identifier));
    }

    /**
     * Whether a second run has the same effect as the first. Conditions, counters, appends and functions such as now() make a
     * difference, and so do {@code DELETE l[0]} and {@code SET l[0] = null}, which delete another element the second time; of a map, they
     * do not.
     *
     * @param lists names of the columns of the table that are lists and not frozen
     */
    public boolean isIdempotent(Collection<String> lists) {
        return !NON_IDEMPOTENT.matcher(words()).find() && !namesAnElementOf(lists);
    }

    private boolean namesAnElementOf(Collection<String> lists) {
        return IntStream.range(1, tokens.size())
                .filter(i -> tokens.get(i).is("["))
                .mapToObj(i -> tokens.get(i - 1))
                .anyMatch(before ->
                        (before.kind == Kind.WORD || before.kind == Kind.NAME) && lists.contains(before.text));
    }

    /** Whether one run may write several partitions, of which the server may have sent some when it refuses another. */
    public boolean mayHaveSeveralPartitions() {
        return SEVERAL_PARTITIONS.matcher(words()).find();
    }

    /** Whether it has an IF. */
    public boolean isConditional() {
        return CONDITION.matcher(words()).find();
    }

    /** Whether it may give this column elements, or a new value. */
    public boolean mayWrite(String column) {
        return !startsWith("delete") && (names(column) || (startsWith("insert") && names("json")));
    }

    /**
     * Its tokens in lower case, separated by spaces, to be searched for keywords and signs: {@code ?} stands for a marker,
     * {@code x} for anything quoted, and 0 for UUIDs and numbers with an exponent.
     */
    String words() {
        return tokens.stream()
                .map(token -> switch (token.kind) {
                    case WORD, SIGN -> token.text;
                    case NAME, STRING -> "x";
                    case NUMBER -> "0";
                    case MARKER -> "?";
                })
                .collect(Collectors.joining(" "));
    }
}
