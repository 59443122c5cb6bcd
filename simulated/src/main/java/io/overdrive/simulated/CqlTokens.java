package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.response.result.RawType;
import com.datastax.oss.protocol.internal.response.result.RawType.RawList;
import com.datastax.oss.protocol.internal.response.result.RawType.RawMap;
import com.datastax.oss.protocol.internal.response.result.RawType.RawSet;
import com.datastax.oss.protocol.internal.response.result.RawType.RawTuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The words, literals and signs of a statement, in sequence. Confined to one thread. */
final class CqlTokens {
    private static final Pattern TOKEN = Pattern.compile(
            "\\s+|--[^\\n]*|//[^\\n]*|/\\*.*?\\*/"
                    + "|(?<quoted>\"(?:[^\"]|\"\")*\")"
                    + "|(?<string>'(?:[^']|'')*')"
                    + "|(?<literal>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|0[xX][0-9a-fA-F]*|-?[0-9]+(?:\\.[0-9]+)?)"
                    + "|(?<word>[A-Za-z_][A-Za-z0-9_]*)"
                    + "|(?<sign><=|>=|!=|[^\\s\\w'\"])",
            Pattern.DOTALL);

    private enum Kind {
        WORD,
        QUOTED,
        STRING,
        LITERAL,
        SIGN,
        END
    }

    /** A type as in CQL, and as in the native protocol. */
    record Type(String text, RawType raw) {}

    private record Token(Kind kind, String text) {}

    private final String cql;
    private final List<Token> tokens = new ArrayList<>();
    private int at;

    CqlTokens(String cql) {
        this.cql = cql;
        Matcher matcher = TOKEN.matcher(cql);
        int end = 0;
        while (end < cql.length()) {
            if (!matcher.find(end) || matcher.start() != end) {
                throw syntax(cql.substring(end));
            }
            add(matcher);
            end = matcher.end();
        }
        if (!tokens.isEmpty() && tokens.get(tokens.size() - 1).equals(new Token(Kind.SIGN, ";"))) {
            tokens.remove(tokens.size() - 1);
        }
        tokens.add(new Token(Kind.END, "the end"));
    }

    private void add(Matcher matcher) {
        if (matcher.group("word") != null) {
            tokens.add(new Token(Kind.WORD, matcher.group().toLowerCase(Locale.ROOT)));
        } else if (matcher.group("quoted") != null) {
            tokens.add(new Token(Kind.QUOTED, unquoted(matcher.group(), "\"")));
        } else if (matcher.group("string") != null) {
            tokens.add(new Token(Kind.STRING, unquoted(matcher.group(), "'")));
        } else if (matcher.group("literal") != null) {
            tokens.add(new Token(Kind.LITERAL, matcher.group()));
        } else if (matcher.group("sign") != null) {
            tokens.add(new Token(Kind.SIGN, matcher.group()));
        }
    }

    private static String unquoted(String text, String quote) {
        return text.substring(1, text.length() - 1).replace(quote + quote, quote);
    }

    private Token peek() {
        return tokens.get(at);
    }

    /** Whether this word or sign is next; it stays so. */
    boolean isNext(String text) {
        Kind kind = peek().kind;
        return (kind == Kind.WORD || kind == Kind.SIGN) && peek().text.equals(text);
    }

    boolean isEnd() {
        return peek().kind == Kind.END;
    }

    /** Takes these words or signs if they are next, all of them. */
    boolean take(String... texts) {
        int start = at;
        for (String text : texts) {
            if (!isNext(text)) {
                at = start;
                return false;
            }
            at++;
        }
        return true;
    }

    /** Takes this name if it is next, with quotes or without. */
    boolean takeName(String name) {
        boolean isNext = (peek().kind == Kind.WORD || peek().kind == Kind.QUOTED)
                && peek().text.equals(name);
        at += isNext ? 1 : 0;
        return isNext;
    }

    /** Takes words or signs that must be next. */
    void expect(String... texts) {
        for (String text : texts) {
            if (!take(text)) {
                throw syntax(peek().text);
            }
        }
    }

    void expectEnd() {
        if (!isEnd()) {
            throw syntax(peek().text);
        }
    }

    /** Takes the name of a keyspace, a table, a column or a function. */
    String name() {
        if (peek().kind != Kind.WORD && peek().kind != Kind.QUOTED) {
            throw syntax(peek().text);
        }
        return tokens.get(at++).text;
    }

    /** Takes a literal that is no collection: its text without quotes. */
    String literal() {
        if (peek().kind == Kind.SIGN || peek().kind == Kind.END) {
            throw syntax(peek().text);
        }
        return tokens.get(at++).text;
    }

    /** Takes a sign. */
    String sign() {
        if (peek().kind != Kind.SIGN) {
            throw syntax(peek().text);
        }
        return tokens.get(at++).text;
    }

    /** Takes anything up to the next of these signs or words outside of brackets, which stays. */
    void skipTo(String... ends) {
        int depth = 0;
        while (!isEnd()) {
            for (String end : ends) {
                if (depth == 0 && isNext(end)) {
                    return;
                }
            }
            depth += isNext("(") || isNext("[") || isNext("{") ? 1 : isNext(")") || isNext("]") || isNext("}") ? -1 : 0;
            at++;
        }
    }

    /** Takes a type. */
    Type type() {
        String name = name();
        if (!take("<")) {
            return new Type(name, CqlTypes.simple(name));
        }
        List<Type> of = new ArrayList<>();
        do {
            of.add(type());
        } while (take(","));
        expect(">");
        String text = name + "<" + of.stream().map(Type::text).collect(Collectors.joining(", ")) + ">";
        return new Type(text, collection(name, of));
    }

    private static RawType collection(String name, List<Type> of) {
        RawType first = of.get(0).raw;
        return switch (name + of.size()) {
            case "frozen1" -> first;
            case "list1" -> new RawList(first);
            case "set1" -> new RawSet(first);
            case "map2" -> new RawMap(first, of.get(1).raw);
            default -> {
                if (!name.equals("tuple")) {
                    throw Refusal.notSimulated("type " + name);
                }
                yield new RawTuple(of.stream().map(Type::raw).toList());
            }
        };
    }

    Refusal syntax(String at) {
        return Refusal.syntax("a simulated cluster does not understand \"" + at + "\" in: " + cql);
    }
}
