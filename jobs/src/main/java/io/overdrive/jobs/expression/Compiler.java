package io.overdrive.jobs.expression;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.ezylang.evalex.parser.ASTNode;
import com.ezylang.evalex.parser.Token;
import com.ezylang.evalex.parser.Token.TokenType;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.internal.names.DidYouMean;
import io.overdrive.jobs.expression.Arithmetic.Operation;
import io.overdrive.jobs.expression.Functions.Body;
import io.overdrive.jobs.expression.Functions.Form;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the types of an expression, from its columns upwards, and makes of each part what computes it. A value that is null makes all that is
 * computed from it null, unless a function is for nulls. Confined to one thread.
 */
final class Compiler {
    /** Functions whose parameters have no fixed types. */
    private static final Set<String> SPECIAL =
            Set.of("coalesce", "concat", "duration", "greatest", "if", "is_null", "least", "nullif", "raw");

    private static final Set<String> COMPARISONS = Set.of("=", "!=", "<>", "<", "<=", ">", ">=");

    /** Parts within each other, each of which takes a part of a thread's stack. */
    private static final int MAX_DEPTH = 500;

    private final Syntax syntax;
    private final Function<Located, Node> names;

    /** A name, and its place in the text. */
    record Located(Name name, int position) {}

    /** @param names gives the value of a column or a field, and throws {@link WrongExpression} if there is none */
    Compiler(Syntax syntax, Function<Located, Node> names) {
        this.syntax = syntax;
        this.names = names;
    }

    /** All names of functions, for messages and the documentation. */
    static Set<String> functions() {
        Set<String> all = new TreeSet<>(SPECIAL);
        all.addAll(Conversions.TYPES.keySet());
        all.addAll(Functions.names());
        return all;
    }

    Node compile() {
        return node(syntax.root());
    }

    /** Adds the names of columns and fields, without their types; checks the names of functions. */
    static void names(Syntax syntax, List<Located> names) {
        names(syntax, syntax.root(), names, MAX_DEPTH);
    }

    private static void names(Syntax syntax, ASTNode node, List<Located> names, int depth) {
        Token token = node.getToken();
        if (depth == 0) {
            throw new WrongExpression(
                    token.getStartPosition(),
                    "more than " + MAX_DEPTH
                            + " operators and functions are nested; concat() and coalesce() take many values");
        }
        boolean isRaw = isFunction(token, "raw");
        if (token.getType() == TokenType.FUNCTION) {
            requireFunction(token);
        }
        if (token.getType() == TokenType.VARIABLE_OR_CONSTANT) {
            Name name = name(syntax, token, /* isRaw */ false);
            if (name != null) {
                names.add(new Located(name, token.getStartPosition()));
            }
        }
        for (ASTNode each : node.getParameters()) {
            Name raw = isRaw ? name(syntax, each.getToken(), /* isRaw */ true) : null;
            if (raw == null) {
                names(syntax, each, names, depth - 1);
            } else {
                names.add(new Located(raw, each.getToken().getStartPosition()));
            }
        }
    }

    private static void requireFunction(Token token) {
        String name = word(token);
        Set<String> known = functions();
        if (!known.contains(name)) {
            throw new WrongExpression(
                    token.getStartPosition(),
                    "there is no function \"" + name + "\"" + suggestion(name, known, "functions"));
        }
    }

    static String suggestion(String name, Set<String> known, String noun) {
        String near = DidYouMean.suggestion(name, known);
        return near.isEmpty() ? "; the " + noun + " are " + String.join(", ", known) : near;
    }

    private static String word(Token token) {
        return token.getValue().toLowerCase(Locale.ROOT);
    }

    private static boolean isFunction(Token token, String name) {
        return token.getType() == TokenType.FUNCTION && word(token).equals(name);
    }

    /** The name of a column or field; null for a text, true, false or null. */
    private static @Nullable Name name(Syntax syntax, Token token, boolean isRaw) {
        if (token.getType() != TokenType.VARIABLE_OR_CONSTANT) {
            return null;
        }
        String quoted = syntax.quotedAt(token.getStartPosition());
        if (!quoted.isEmpty()) {
            return quoted.charAt(0) == '"' ? Name.of(Syntax.unquote(quoted), /* isExact */ true, isRaw) : null;
        }
        return Set.of("true", "false", "null").contains(word(token))
                ? null
                : Name.of(token.getValue(), /* isExact */ false, isRaw);
    }

    private Node node(ASTNode ast) {
        Token token = ast.getToken();
        return switch (token.getType()) {
            case VARIABLE_OR_CONSTANT -> value(token);
            case NUMBER_LITERAL -> number(token);
            case FUNCTION -> function(token, ast.getParameters());
            case PREFIX_OPERATOR -> prefix(token, node(ast.getParameters().get(0)));
            case INFIX_OPERATOR ->
                infix(
                        token,
                        node(ast.getParameters().get(0)),
                        node(ast.getParameters().get(1)));
            default ->
                throw new WrongExpression(
                        token.getStartPosition(), "\"" + token.getValue() + "\" is not part of an expression");
        };
    }

    private Node value(Token token) {
        int position = token.getStartPosition();
        Name name = name(syntax, token, /* isRaw */ false);
        if (name != null) {
            return names.apply(new Located(name, position));
        }
        String quoted = syntax.quotedAt(position);
        if (!quoted.isEmpty()) {
            return Node.literal(Kind.TEXT, position, quoted, Syntax.unquote(quoted));
        }
        return word(token).equals("null")
                ? Node.literal(Kind.NULL, position, "null", null)
                : Node.literal(
                        Kind.BOOLEAN, position, token.getValue(), word(token).equals("true"));
    }

    private static Node number(Token token) {
        BigDecimal value;
        try {
            value = new BigDecimal(token.getValue());
        } catch (NumberFormatException e) {
            throw new WrongExpression(token.getStartPosition(), "\"" + token.getValue() + "\" is not a number");
        }
        return number(value, token.getStartPosition(), token.getValue());
    }

    private static Node number(BigDecimal value, int position, String label) {
        boolean isWhole = value.scale() == 0;
        boolean isLong = isWhole && value.unscaledValue().bitLength() < Long.SIZE;
        return isLong
                ? Node.literal(Kind.INTEGER, position, label, value.longValueExact())
                : isWhole
                        ? Node.literal(Kind.VARINT, position, label, value.toBigIntegerExact())
                        : Node.literal(Kind.DECIMAL, position, label, value);
    }

    private static Node prefix(Token token, Node operand) {
        int position = token.getStartPosition();
        if (word(token).equals("not")) {
            Calls.require(operand, Kind.BOOLEAN, "not");
            return Calls.call(Kind.BOOLEAN, position, "not", v -> !(Boolean) v[0], operand);
        }
        if (operand.kind() == Kind.DURATION) {
            Operation times = Objects.requireNonNull(Arithmetic.ofTimes("*", Kind.DURATION, Kind.INTEGER));
            return Calls.call(
                    Kind.DURATION,
                    position,
                    "-",
                    times.body(),
                    operand,
                    Node.literal(Kind.INTEGER, position, "-1", -1L));
        }
        Object literal = operand.isLiteral() ? operand.value().get() : null;
        if (literal != null && operand.kind().isNumber() && operand.kind() != Kind.DOUBLE) {
            return number(new BigDecimal(String.valueOf(literal)).negate(), position, "-" + operand.label());
        }
        if (!operand.kind().isNumber()) {
            throw new WrongExpression(position, "- needs a number or a duration, got " + operand.word());
        }
        Node zero = Node.literal(Kind.INTEGER, position, "0", 0L);
        Body body = operand.kind() == Kind.DOUBLE
                ? v -> -(Double) v[1]
                : Arithmetic.ofNumbers("-", operand.kind()).body();
        return Calls.call(operand.kind(), position, "-", body, Calls.adapt(zero, operand.kind()), operand);
    }

    private static Node infix(Token token, Node a, Node b) {
        String operator = word(token);
        int position = token.getStartPosition();
        if (operator.equals("and") || operator.equals("or")) {
            return Calls.logical(position, operator, a, b);
        }
        if (operator.equals("||")) {
            return concat(position, "||", List.of(a, b));
        }
        if (COMPARISONS.contains(operator)) {
            return comparison(operator, position, a, b);
        }
        Operation times = Arithmetic.ofTimes(operator, a.kind(), b.kind());
        if (times != null) {
            return Calls.call(times.gives(), position, operator, times.body(), a, b);
        }
        Kind kind = a.kind().isNumber() && b.kind().isNumber() ? Calls.common(List.of(a, b)) : null;
        if (kind == null) {
            throw new WrongExpression(
                    position,
                    operator + " does not go with " + a.word() + " and " + b.word() + wayOut(List.of(a, b), operator));
        }
        Operation numbers = Arithmetic.ofNumbers(operator, kind);
        return Calls.call(
                numbers.gives(), position, operator, numbers.body(), Calls.adapt(a, kind), Calls.adapt(b, kind));
    }

    private static String wayOut(List<Node> nodes, String operator) {
        boolean hasText = nodes.stream().anyMatch(n -> n.kind() == Kind.TEXT);
        boolean hasDouble = nodes.stream().anyMatch(n -> n.kind() == Kind.DOUBLE);
        boolean hasTime = nodes.stream()
                .anyMatch(n -> n.kind() == Kind.TIMESTAMP || n.kind() == Kind.DATE || n.kind() == Kind.TIME);
        if (hasTime) {
            return operator.equals("+") || operator.equals("-")
                    ? ": give a duration, as duration('1d12h')"
                    : ": make a time of a text by timestamp(), date() or time()";
        }
        return hasText
                ? ": make a number of a text by int(), bigint(), decimal() or double()"
                        + (operator.equals("+") ? "; texts are joined by ||" : "")
                : hasDouble ? ": say which of the two it is to be, by double() or decimal()" : "";
    }

    private static Node comparison(String operator, int position, Node a, Node b) {
        if (a.kind() == Kind.NULL || b.kind() == Kind.NULL) {
            throw new WrongExpression(position, operator + " null is never true: use is_null()");
        }
        Kind kind = Calls.common(List.of(a, b));
        boolean isEqual = operator.equals("=") || operator.equals("!=") || operator.equals("<>");
        if (kind == null || ((kind == Kind.OTHER || kind == Kind.DURATION || kind == Kind.BOOLEAN) && !isEqual)) {
            throw new WrongExpression(
                    position,
                    operator + " does not compare " + a.word() + " with " + b.word() + wayOut(List.of(a, b), operator));
        }
        IntPredicate holds =
                switch (operator) {
                    case "=" -> c -> c == 0;
                    case "<" -> c -> c < 0;
                    case "<=" -> c -> c <= 0;
                    case ">" -> c -> c > 0;
                    case ">=" -> c -> c >= 0;
                    default -> c -> c != 0;
                };
        return Calls.call(
                Kind.BOOLEAN,
                position,
                operator,
                v -> holds.test(Calls.compare(v[0], v[1])),
                Calls.adapt(a, kind),
                Calls.adapt(b, kind));
    }

    private Node function(Token token, List<ASTNode> parameters) {
        String name = word(token);
        int position = token.getStartPosition();
        requireFunction(token);
        if (name.equals("raw")) {
            return raw(position, parameters);
        }
        List<Node> given = parameters.stream().map(this::node).toList();
        return switch (name) {
            case "coalesce" -> Calls.coalesce(position, atLeast(2, position, name, given));
            case "concat" -> concat(position, "concat()", atLeast(1, position, name, given));
            case "greatest" -> Calls.extreme(position, name, atLeast(2, position, name, given), 1);
            case "least" -> Calls.extreme(position, name, atLeast(2, position, name, given), -1);
            case "if" -> Calls.condition(position, exactly(3, position, name, given));
            case "is_null" ->
                Calls.isNull(position, exactly(1, position, name, given).get(0));
            case "nullif" -> Calls.nullIf(position, exactly(2, position, name, given));
            case "duration" ->
                duration(position, exactly(1, position, name, given).get(0));
            default -> simple(name, position, given);
        };
    }

    private static List<Node> atLeast(int count, int position, String name, List<Node> given) {
        if (given.size() < count) {
            throw new WrongExpression(position, name + "() takes at least " + count + " values, got " + given.size());
        }
        return given;
    }

    private static List<Node> exactly(int count, int position, String name, List<Node> given) {
        if (given.size() != count) {
            throw new WrongExpression(
                    position,
                    name + "() takes " + count + (count == 1 ? " value" : " values") + ", got " + given.size());
        }
        return given;
    }

    private Node raw(int position, List<ASTNode> parameters) {
        Name name = parameters.size() == 1 ? name(syntax, parameters.get(0).getToken(), /* isRaw */ true) : null;
        if (name == null) {
            throw new WrongExpression(position, "raw() takes the name of a field");
        }
        return names.apply(new Located(name, parameters.get(0).getToken().getStartPosition()));
    }

    private static Node duration(int position, Node text) {
        if (text.kind() == Kind.DURATION) {
            return text;
        }
        Calls.require(text, Kind.TEXT, "duration()");
        Cells cells = new Cells(DataTypes.DURATION);
        return Calls.call(Kind.DURATION, position, "duration()", v -> cells.parse((String) v[0]), text);
    }

    private static Node concat(int position, String label, List<Node> given) {
        List<Node> texts = given.stream()
                .map(each -> each.kind() == Kind.TEXT ? each : converted(position, "text", each))
                .toList();
        return Calls.call(Kind.TEXT, position, label, Functions::joined, texts.toArray(Node[]::new));
    }

    private static Node converted(int position, String name, Node from) {
        DataType to = Objects.requireNonNull(Conversions.TYPES.get(name));
        if (from.kind() == Kind.NULL) {
            return from;
        }
        Body body = Conversions.of(from, to);
        if (body == null) {
            throw new WrongExpression(
                    position,
                    name + "() does not take " + from.word()
                            + (from.kind() == Kind.TIMESTAMP && Kind.of(to).isNumber() ? ": use millis()" : ""));
        }
        Node plain = Calls.call(Kind.of(to), position, name + "()", body, from);
        return new Node(plain.kind(), to, position, plain.label(), plain.isLiteral(), plain.value());
    }

    private static Node simple(String name, int position, List<Node> given) {
        List<Form> forms = Functions.named(name);
        for (boolean adapts : new boolean[] {false, true}) {
            for (Form form : forms) {
                if (fits(form, given, adapts)) {
                    return call(form, position, given);
                }
            }
        }
        if (Conversions.TYPES.containsKey(name) && (given.size() == 1 || forms.isEmpty())) {
            return converted(position, name, exactly(1, position, name, given).get(0));
        }
        throw new WrongExpression(
                position,
                forms.stream()
                                .map(form -> name
                                        + form.takes().stream()
                                                .map(Kind::word)
                                                .collect(Collectors.joining(", ", "(", ")")))
                                .distinct()
                                .collect(Collectors.joining(" or ", "there is ", ""))
                        + ", got "
                        + given.stream().map(Node::word).collect(Collectors.joining(", ", "(", ")")));
    }

    private static boolean fits(Form form, List<Node> given, boolean adapts) {
        if (form.takes().size() != given.size()) {
            return false;
        }
        for (int i = 0; i < given.size(); i++) {
            Node each = given.get(i);
            Kind wanted = form.takes().get(i);
            if (each.kind() != wanted && !(adapts && (each.kind() == Kind.NULL || Calls.canAdapt(each, wanted)))) {
                return false;
            }
        }
        return true;
    }

    private static Node call(Form form, int position, List<Node> given) {
        List<Node> arguments = new ArrayList<>();
        for (int i = 0; i < given.size(); i++) {
            arguments.add(Calls.adapt(given.get(i), form.takes().get(i)));
        }
        Object literal = "";
        if (form.literal() >= 0) {
            Node needed = arguments.get(form.literal());
            Object value = needed.isLiteral() ? needed.value().get() : null;
            if (value == null) {
                throw new WrongExpression(
                        needed.position(),
                        "value " + (form.literal() + 1) + " of " + form.name()
                                + "() must be a text in single quotes, the same for all rows");
            }
            literal = value;
        }
        Body body;
        try {
            body = form.maker().of(literal);
        } catch (IllegalArgumentException e) {
            throw new WrongExpression(position, form.name() + "(): " + e.getMessage());
        }
        checkGroups(form, literal, arguments);
        return Calls.call(form.gives(), position, form.name() + "()", body, arguments.toArray(Node[]::new));
    }

    /** Refuses groups that a regular expression does not have, if they are in the text. */
    private static void checkGroups(Form form, Object literal, List<Node> arguments) {
        Node last = arguments.get(arguments.size() - 1);
        if (form.name().startsWith("regexp_") && arguments.size() > 2 && last.isLiteral()) {
            try {
                Functions.checkGroups((String) literal, last.value().get());
            } catch (BadValueException e) {
                throw new WrongExpression(last.position(), "value 3 of " + form.name() + "() " + e.getMessage());
            }
        }
    }
}
