package io.overdrive.cli.options;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * Options whose values are enum constants: lower case in the help, any case on the command line; and those whose values are whole
 * numbers. Stateless.
 */
public final class Choices {
    private Choices() {}

    /** Sets how a command and its subcommands parse whole numbers and enum constants. */
    public static void register(CommandLine command) {
        command.registerConverter(int.class, text -> (int) number(text, Integer.MAX_VALUE));
        command.registerConverter(Integer.class, text -> (int) number(text, Integer.MAX_VALUE));
        command.registerConverter(long.class, text -> number(text, Long.MAX_VALUE));
        command.registerConverter(Long.class, text -> number(text, Long.MAX_VALUE));
        for (ArgSpec arg : command.getCommandSpec().args()) {
            if (arg.type().isEnum()) {
                register(command, arg.type());
            }
        }
        command.getSubcommands().values().forEach(Choices::register);
    }

    private static long number(String text, long max) {
        if (!text.matches("[-+]?[0-9]+")) {
            throw new TypeConversionException("'" + text + "' is not a whole number");
        }
        BigInteger number = new BigInteger(text);
        if (number.abs().compareTo(BigInteger.valueOf(max)) > 0) {
            throw new TypeConversionException("'" + text + "' is not within -" + max + " and " + max);
        }
        return number.longValueExact();
    }

    private static <E> void register(CommandLine command, Class<E> type) {
        command.registerConverter(type, text -> constant(type, text));
    }

    private static <E> E constant(Class<E> type, String text) {
        String word = text.replace('-', '_');
        for (E constant : type.getEnumConstants()) {
            if (word(constant).equalsIgnoreCase(word)) {
                return constant;
            }
        }
        throw new TypeConversionException("'" + text + "' is not one of "
                + Arrays.stream(type.getEnumConstants()).map(Choices::word).collect(Collectors.joining(", ")));
    }

    /** Consistency levels keep their upper case, as in CQL. */
    static String word(Object constant) {
        String name = ((Enum<?>) constant).name();
        return constant instanceof DefaultConsistencyLevel ? name : name.toLowerCase(Locale.ROOT);
    }
}
