package io.overdrive.jobs.expression;

import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.jobs.expression.Functions.Body;
import java.time.DateTimeException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Nodes that compute from others, and the type that several values have in common. Stateless. */
final class Calls {
    private Calls() {}

    static Node coalesce(int position, List<Node> given) {
        List<Node> alike = alike(position, "coalesce()", given);
        return new Node(
                alike.get(0).kind(),
                cql(alike),
                position,
                "coalesce()", /* isLiteral */
                false,
                () -> {
                    for (Node each : alike) {
                        Object value = each.value().get();
                        if (value != null) {
                            return value;
                        }
                    }
                    return null;
                });
    }

    static Node condition(int position, List<Node> given) {
        Node when = given.get(0);
        require(when, Kind.BOOLEAN, "the first value of if()");
        List<Node> alike = alike(position, "if()", given.subList(1, 3));
        return new Node(
                alike.get(0).kind(),
                cql(alike),
                position,
                "if()", /* isLiteral */
                false,
                () -> {
                    boolean isTrue = Boolean.TRUE.equals(when.value().get());
                    return alike.get(isTrue ? 0 : 1).value().get();
                });
    }

    static Node isNull(int position, Node of) {
        return new Node(Kind.BOOLEAN, position, "is_null()", () -> of.value().get() == null);
    }

    static Node nullIf(int position, List<Node> given) {
        List<Node> alike = alike(position, "nullif()", given);
        return new Node(
                alike.get(0).kind(),
                cql(alike),
                position,
                "nullif()", /* isLiteral */
                false,
                () -> {
                    Object value = alike.get(0).value().get();
                    Object other = alike.get(1).value().get();
                    return value == null || other == null || compare(value, other) != 0 ? value : null;
                });
    }

    static Node extreme(int position, String name, List<Node> given, int sign) {
        List<Node> alike = alike(position, name + "()", given);
        Kind kind = alike.get(0).kind();
        if (kind == Kind.OTHER || kind == Kind.DURATION) {
            throw new WrongExpression(
                    position, name + "() does not compare " + alike.get(0).word());
        }
        return call(
                kind,
                position,
                name + "()",
                v -> {
                    Object best = v[0];
                    for (Object each : v) {
                        best = compare(each, best) * sign > 0 ? each : best;
                    }
                    return best;
                },
                alike.toArray(Node[]::new));
    }

    /** The values as ones of one type. */
    static List<Node> alike(int position, String label, List<Node> given) {
        Kind kind = common(given);
        if (kind == null) {
            throw new WrongExpression(
                    position,
                    label + " needs values of one type, got "
                            + given.stream().map(Node::word).collect(Collectors.joining(" and ")));
        }
        return given.stream().map(each -> adapt(each, kind)).toList();
    }

    /** The type of CQL that all have, which is more exact than their type in expressions, unless a literal needs more. */
    static DataType cql(List<Node> alike) {
        List<DataType> types = alike.stream()
                .filter(each -> !each.isLiteral())
                .map(Node::cql)
                .distinct()
                .toList();
        return types.size() == 1
                        && alike.get(0).kind() != Kind.TEXT
                        && alike.stream()
                                .allMatch(each ->
                                        !each.isLiteral() || fits(each.value().get(), types.get(0)))
                ? types.get(0)
                : alike.get(0).kind().cql;
    }

    private static boolean fits(@Nullable Object literal, DataType type) {
        CqlType cql = CqlType.of(type);
        if (literal instanceof Long whole) {
            return switch (cql) {
                case TINYINT -> whole == whole.byteValue();
                case SMALLINT -> whole == whole.shortValue();
                case INT -> whole == whole.intValue();
                default -> true;
            };
        }
        return !(literal instanceof Double number)
                || cql != CqlType.FLOAT
                || number != Math.rint(number)
                || number == number.floatValue();
    }

    /** Texts by code points, as CQL does; doubles by their size, so that 0 and -0 are the same. */
    @SuppressWarnings("unchecked")
    static int compare(Object a, Object b) {
        if (a instanceof byte[] bytes) {
            return Arrays.compareUnsigned(bytes, (byte[]) b);
        }
        if (a instanceof String text) {
            return compare(text, (String) b);
        }
        if (a instanceof Double number) {
            return number.doubleValue() == (Double) b ? 0 : number.compareTo((Double) b);
        }
        return a instanceof CqlDuration ? (a.equals(b) ? 0 : 1) : ((Comparable<Object>) a).compareTo(b);
    }

    private static int compare(String a, String b) {
        int end = Math.min(a.length(), b.length());
        for (int i = 0; i < end; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean isOneSurrogate = Character.isSurrogate(x) != Character.isSurrogate(y);
                return isOneSurrogate ? (Character.isSurrogate(x) ? 1 : -1) : Character.compare(x, y);
            }
        }
        return Integer.compare(a.length(), b.length());
    }

    /** Null counts as unknown, as in SQL: the other value may decide. The second one is computed only if the first one does not decide. */
    static Node logical(int position, String operator, Node a, Node b) {
        require(a, Kind.BOOLEAN, operator);
        require(b, Kind.BOOLEAN, operator);
        boolean decides = operator.equals("or");
        return new Node(Kind.BOOLEAN, position, operator, () -> {
            Object first = a.value().get();
            if (first != null && (Boolean) first == decides) {
                return decides;
            }
            Object second = b.value().get();
            if (second != null && (Boolean) second == decides) {
                return decides;
            }
            return first == null || second == null ? null : !decides;
        });
    }

    /** A type that all values have, or can be given without loss; null if there is none. */
    static @Nullable Kind common(List<Node> given) {
        for (Kind kind : Kind.values()) {
            if (given.stream().allMatch(each -> each.kind() == Kind.NULL || canAdapt(each, kind))) {
                boolean isOne = kind != Kind.OTHER
                        || given.stream()
                                        .filter(each -> each.kind() == Kind.OTHER)
                                        .map(Node::cql)
                                        .distinct()
                                        .count()
                                == 1;
                return isOne ? kind : null;
            }
        }
        return null;
    }

    /** Whether a value can be given a type without loss. */
    static boolean canAdapt(Node node, Kind to) {
        Kind from = node.kind();
        return from == to
                || (to == Kind.VARINT && from == Kind.INTEGER)
                || (to == Kind.DECIMAL && (from == Kind.INTEGER || from == Kind.VARINT))
                || (to == Kind.DOUBLE && node.isLiteral() && from.isNumber());
    }

    /** The value as one of a type that it can be given. */
    static Node adapt(Node node, Kind to) {
        if (node.kind() == to) {
            return node;
        }
        Node.Value value = () -> {
            Object given = node.value().get();
            return given == null ? null : Conversions.number(given, to, to.cql);
        };
        return new Node(to, to.cql, node.position(), node.label(), node.isLiteral(), value);
    }

    /** Null if one of the values is; computed at once if all are in the text. */
    static Node call(Kind kind, int position, String label, Body body, Node... arguments) {
        Node.Value value = () -> {
            Object[] values = new Object[arguments.length];
            for (int i = 0; i < values.length; i++) {
                Object each = arguments[i].value().get();
                if (each == null) {
                    return null;
                }
                values[i] = each;
            }
            try {
                return body.apply(values);
            } catch (BadValueException e) {
                throw e.inside(place(position, label));
            } catch (ArithmeticException | DateTimeException | IllegalArgumentException e) {
                throw new BadValueException(place(position, label) + " cannot be computed: " + e.getMessage());
            }
        };
        if (!Arrays.stream(arguments).allMatch(Node::isLiteral)) {
            return new Node(kind, position, label, value);
        }
        try {
            return Node.literal(kind, position, label, value.get());
        } catch (BadValueException e) {
            throw new WrongExpression(0, e.text().in(option -> option.javaName()));
        }
    }

    static String place(int position, String label) {
        return "at position " + position + ", the result of " + label;
    }

    static void require(Node node, Kind kind, String of) {
        if (node.kind() != kind) {
            throw new WrongExpression(node.position(), of + " needs " + kind.word() + ", got " + node.word());
        }
    }
}
