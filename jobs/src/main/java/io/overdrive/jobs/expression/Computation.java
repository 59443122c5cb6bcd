package io.overdrive.jobs.expression;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Computes the columns of assignments from the cells of one row at a time: first {@link #clear}, then {@link #set} for each input that has a
 * value, then {@link #compute} for each output. Confined to one thread.
 */
public final class Computation {
    /** The cell of a name. Used by one thread. */
    private static final class Input {
        final Name name;
        final DataType type;
        final Cells cells;
        private byte[] array = {};
        private int offset;
        private int length = -1;

        Input(Name name, DataType type) {
            this.name = name;
            this.type = type;
            cells = new Cells(type);
        }

        @Nullable Object value() {
            return length < 0 ? null : cells.decode(array, offset, length);
        }
    }

    /** A column that is computed. */
    private record Output(String column, String text, DataType type, Node node, Cells cells) {}

    private final List<Input> inputs;
    private final List<Output> outputs;

    private Computation(List<Input> inputs, List<Output> outputs) {
        this.inputs = inputs;
        this.outputs = outputs;
    }

    /** The names in the expressions; the number of one is its place. */
    public List<Name> inputs() {
        return inputs.stream().map(each -> each.name).toList();
    }

    /** The type of an input. */
    public DataType inputType(int input) {
        return inputs.get(input).type;
    }

    /** The columns that are computed; the number of one is its place. */
    public List<String> outputs() {
        return outputs.stream().map(Output::column).toList();
    }

    /** The type of a column that is computed. */
    public DataType outputType(int output) {
        return outputs.get(output).type;
    }

    /** Begins a row, without values. */
    public void clear() {
        for (int i = 0; i < inputs.size(); i++) {
            inputs.get(i).length = -1;
        }
    }

    /** Sets the cell of an input; the array stays unchanged until the row is computed. A length of -1 is null. */
    public void set(int input, byte[] array, int offset, int length) {
        Input to = inputs.get(input);
        to.array = array;
        to.offset = offset;
        to.length = length;
    }

    /**
     * Appends the cell of a column.
     *
     * @return whether it has a value, else nothing was appended
     * @throws BadValueException if it cannot be computed, or its column cannot hold it; the message continues a sentence that begins with
     *     the column, and the sink may have an unfinished value
     */
    public boolean compute(int output, Bytes out) {
        Output to = outputs.get(output);
        try {
            Object value = to.node.value().get();
            if (value == null) {
                return false;
            }
            encode(to, value, out);
            return true;
        } catch (BadValueException e) {
            throw e.inside("cannot be set by \"" + to.text + "\":");
        }
    }

    private static void encode(Output to, Object value, Bytes out) {
        try {
            to.cells.encode(value, out);
        } catch (BadValueException e) {
            throw e.inside("the column");
        }
    }

    /** Collects inputs and outputs. Confined to one thread. */
    static final class Builder {
        private final List<Input> inputs = new ArrayList<>();
        private final List<Output> outputs = new ArrayList<>();

        /** The input of a name, which is there only once. */
        Node input(Name name, DataType type, int position) {
            Input input = inputs.stream()
                    .filter(each -> each.name.equals(name))
                    .findFirst()
                    .orElseGet(() -> {
                        Input added = new Input(name, type);
                        inputs.add(added);
                        return added;
                    });
            return new Node(Kind.of(type), type, position, name.toString(), /* isLiteral */ false, input::value);
        }

        /** @param type of the column; null for that of the expression */
        void add(Assignment assignment, Node node, @Nullable DataType type) {
            DataType to = type == null ? ownType(node) : type;
            outputs.add(new Output(
                    assignment.column(), assignment.text(), to, fitting(assignment, node, to), new Cells(to)));
        }

        Computation build() {
            return new Computation(List.copyOf(inputs), List.copyOf(outputs));
        }

        private static DataType ownType(Node node) {
            return node.cql().equals(DataTypes.COUNTER) ? DataTypes.BIGINT : node.cql();
        }

        private static Node fitting(Assignment assignment, Node node, DataType to) {
            Kind kind = Kind.of(to);
            boolean isSame =
                    node.kind() == kind && (kind != Kind.OTHER || CqlType.isSame(node.cql(), to) || node.isLiteral());
            if (isSame || node.kind() == Kind.NULL || (node.kind() == Kind.VARINT && kind == Kind.INTEGER)) {
                return node;
            }
            if (Calls.canAdapt(node, kind)) {
                return Calls.adapt(node, kind);
            }
            throw new WrongExpression(
                    node.position(),
                    "column \"" + assignment.column() + "\" is "
                            + to.asCql(/* includeFrozen */ false, /* pretty */ true) + ", and the expression gives "
                            + node.word() + wayOut(node, to));
        }

        private static String wayOut(Node node, DataType to) {
            String function = to.asCql(/* includeFrozen */ false, /* pretty */ true);
            boolean isPossible = Conversions.TYPES.containsKey(function)
                    && Conversions.of(node, Objects.requireNonNull(Conversions.TYPES.get(function))) != null;
            return isPossible ? ": " + function + "(…) makes one of it" : "";
        }
    }
}
