package io.overdrive.jobs.expression;

import com.ezylang.evalex.Expression;
import com.ezylang.evalex.config.ExpressionConfiguration;
import com.ezylang.evalex.config.FunctionDictionaryIfc;
import com.ezylang.evalex.config.OperatorDictionaryIfc;
import com.ezylang.evalex.data.EvaluationValue;
import com.ezylang.evalex.functions.FunctionIfc;
import com.ezylang.evalex.functions.FunctionParameterDefinition;
import com.ezylang.evalex.operators.OperatorIfc;
import com.ezylang.evalex.parser.ASTNode;
import com.ezylang.evalex.parser.ParseException;
import com.ezylang.evalex.parser.ShuntingYardConverter;
import com.ezylang.evalex.parser.Token;
import com.ezylang.evalex.parser.Tokenizer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The syntax of an expression, by EvalEx: its tokens, precedences and tree, and nothing of its evaluation, whose numbers have no types. The
 * operators are ours. Immutable.
 *
 * <p>Texts and names are quoted as in CQL, {@code 'it''s'} and {@code "Name"}, which EvalEx does not have: each becomes the name {@code _} at
 * its place, filled up with blanks, and is found again by its position.
 *
 * @param root of the tree, whose positions are counted from 1
 * @param quoted texts and names with their quotes, by position
 */
record Syntax(ASTNode root, Map<Integer, String> quoted) {
    private static final char STAND_IN = '_';
    private static final int OR = 2;
    private static final int AND = 4;
    private static final int NOT = 5;
    private static final int COMPARISON = 10;
    private static final int CONCATENATION = 15;
    private static final int ADDITIVE = 20;
    private static final int MULTIPLICATIVE = 30;
    private static final int SIGN = 60;

    private static final Map<String, Integer> INFIX = Map.ofEntries(
            Map.entry("or", OR),
            Map.entry("and", AND),
            Map.entry("=", COMPARISON),
            Map.entry("!=", COMPARISON),
            Map.entry("<>", COMPARISON),
            Map.entry("<", COMPARISON),
            Map.entry("<=", COMPARISON),
            Map.entry(">", COMPARISON),
            Map.entry(">=", COMPARISON),
            Map.entry("||", CONCATENATION),
            Map.entry("+", ADDITIVE),
            Map.entry("-", ADDITIVE),
            Map.entry("*", MULTIPLICATIVE),
            Map.entry("/", MULTIPLICATIVE),
            Map.entry("%", MULTIPLICATIVE));

    private static final Map<String, Integer> PREFIX = Map.of("not", NOT, "-", SIGN);

    private static final ExpressionConfiguration GRAMMAR = ExpressionConfiguration.builder()
            .functionDictionary(new AnyFunction())
            .operatorDictionary(new Operators())
            .arraysAllowed(false)
            .structuresAllowed(false)
            .binaryAllowed(false)
            .implicitMultiplicationAllowed(false)
            .singleQuoteStringLiteralsAllowed(false)
            .build();

    /**
     * @param text of an assignment, so that positions are those of what the user wrote
     * @param from where the expression begins
     * @throws WrongExpression if it is none
     */
    static Syntax parse(String text, int from) {
        Map<Integer, String> quoted = new TreeMap<>();
        String plain = " ".repeat(from) + withoutQuotes(text, from, quoted);
        try {
            ASTNode root = new ShuntingYardConverter(plain, new Tokenizer(plain, GRAMMAR).parse(), GRAMMAR)
                    .toAbstractSyntaxTree();
            return new Syntax(root, quoted);
        } catch (ParseException e) {
            String problem = String.valueOf(e.getMessage());
            boolean isOfAll = e.getTokenString().isBlank() || e.getTokenString().equals(plain);
            throw new WrongExpression(
                    isOfAll ? 0 : e.getStartPosition(),
                    isOfAll
                            ? problem.equals("Too many operands")
                                    ? "an operator or a comma is missing between two values"
                                    : lower(problem)
                            : '"' + e.getTokenString() + "\": " + lower(problem));
        }
    }

    private static String lower(String sentence) {
        return sentence.substring(0, 1).toLowerCase(Locale.ROOT) + sentence.substring(1);
    }

    private static String withoutQuotes(String text, int from, Map<Integer, String> quoted) {
        StringBuilder plain = new StringBuilder();
        int i = from;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (c == '\'' || c == '"') {
                int end = end(text, i);
                quoted.put(i + 1, text.substring(i, end));
                plain.append(STAND_IN).append(" ".repeat(end - i - 1));
                i = end;
            } else if (c == STAND_IN && !isInWord(text, i)) {
                throw new WrongExpression(i + 1, "a name cannot begin with _ unless it is in double quotes");
            } else if (c > '~') {
                throw new WrongExpression(
                        i + 1,
                        "\"" + Character.toString(text.codePointAt(i))
                                + "\" is neither in a text ('…') nor in a quoted name (\"…\")");
            } else {
                plain.append(c);
                i++;
            }
        }
        return plain.toString();
    }

    private static boolean isInWord(String text, int at) {
        return at > 0 && (Character.isLetterOrDigit(text.charAt(at - 1)) || text.charAt(at - 1) == STAND_IN);
    }

    /** The end of a quoted part, in which a quote is doubled. */
    private static int end(String text, int start) {
        char quote = text.charAt(start);
        for (int i = start + 1; i < text.length(); i++) {
            if (text.charAt(i) == quote) {
                if (i + 1 == text.length() || text.charAt(i + 1) != quote) {
                    return i + 1;
                }
                i++;
            }
        }
        throw new WrongExpression(start + 1, "the quote has no closing quote");
    }

    /** The text or name at a position, with its quotes; null if there is none. */
    String quotedAt(int position) {
        return quoted.getOrDefault(position, "");
    }

    /** The content of a quoted text or name. */
    static String unquote(String quoted) {
        String quote = quoted.substring(0, 1);
        return quoted.substring(1, quoted.length() - 1).replace(quote + quote, quote);
    }

    /** Takes any name for a function: whether it is one is checked later, with its nearest names. Immutable. */
    private static final class AnyFunction implements FunctionDictionaryIfc, FunctionIfc {
        @Override
        public void addFunction(String name, FunctionIfc function) {
            throw new UnsupportedOperationException(name);
        }

        @Override
        public FunctionIfc getFunction(String name) {
            return this;
        }

        @Override
        public List<FunctionParameterDefinition> getFunctionParameterDefinitions() {
            return List.of();
        }

        @Override
        public boolean hasVarArgs() {
            return true;
        }

        @Override
        public EvaluationValue evaluate(Expression expression, Token token, EvaluationValue... values) {
            throw new UnsupportedOperationException(token.getValue());
        }

        @Override
        public void validatePreEvaluation(Token token, EvaluationValue... values) {
            throw new UnsupportedOperationException(token.getValue());
        }
    }

    /** Immutable. */
    private static final class Operators implements OperatorDictionaryIfc {
        @Override
        public void addOperator(String name, OperatorIfc operator) {
            throw new UnsupportedOperationException(name);
        }

        @Override
        public @Nullable OperatorIfc getPrefixOperator(String name) {
            return operator(PREFIX, name, /* isPrefix */ true);
        }

        @Override
        public @Nullable OperatorIfc getPostfixOperator(String name) {
            return null;
        }

        @Override
        public @Nullable OperatorIfc getInfixOperator(String name) {
            return operator(INFIX, name, /* isPrefix */ false);
        }

        private static @Nullable OperatorIfc operator(Map<String, Integer> precedences, String name, boolean isPrefix) {
            Integer precedence = precedences.get(name.toLowerCase(Locale.ROOT));
            return precedence == null ? null : new Operator(precedence, isPrefix);
        }
    }

    /** Immutable. */
    private record Operator(int precedence, boolean isPrefix) implements OperatorIfc {
        @Override
        public int getPrecedence() {
            return precedence;
        }

        @Override
        public int getPrecedence(ExpressionConfiguration configuration) {
            return precedence;
        }

        @Override
        public boolean isLeftAssociative() {
            return !isPrefix;
        }

        @Override
        public boolean isPostfix() {
            return false;
        }

        @Override
        public boolean isInfix() {
            return !isPrefix;
        }

        @Override
        public boolean isOperandLazy() {
            return false;
        }

        @Override
        public EvaluationValue evaluate(Expression expression, Token token, EvaluationValue... operands) {
            throw new UnsupportedOperationException(token.getValue());
        }
    }
}
