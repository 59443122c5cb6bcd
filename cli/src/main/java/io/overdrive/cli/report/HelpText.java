package io.overdrive.cli.report;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Formats help so that examples can be copied: they are never wrapped, and descriptions are wrapped only at spaces, not inside
 * {@code demo.flights} or {@code HH:mm}. Stateless.
 */
public final class HelpText extends Help {
    private static final int MIN_WIDTH = 80;
    private static final int MAX_WIDTH = 120;

    private HelpText(CommandSpec command, ColorScheme colors) {
        super(command, colors);
    }

    /** Sets the help of a command and its subcommands. The launcher passes the width of the terminal. */
    public static void register(CommandLine command) {
        int columns = Integer.getInteger("overdrive.stdout.columns", MIN_WIDTH);
        command.setHelpFactory(HelpText::new);
        command.setUsageHelpWidth(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns)));
        Map<String, IHelpSectionRenderer> sections = new HashMap<>(command.getHelpSectionMap());
        sections.put(UsageMessageSpec.SECTION_KEY_FOOTER, HelpText::footer);
        command.setHelpSectionMap(sections);
    }

    private static String footer(Help help) {
        StringBuilder text = new StringBuilder();
        for (String line : help.commandSpec().usageMessage().footer()) {
            boolean example = line.startsWith("  ");
            text.append(example ? String.format(line) + System.lineSeparator() : help.createHeading(line + "%n"));
        }
        return text.toString();
    }

    @Override
    public Layout createDefaultLayout(
            List<OptionSpec> options, List<PositionalParamSpec> parameters, ColorScheme colors) {
        Layout standard = super.createDefaultLayout(options, parameters, colors);
        return new Layout(colors, new WordTable(colors, standard.textTable()));
    }

    /** Wraps at spaces only. */
    private static final class WordTable extends TextTable {
        WordTable(ColorScheme colors, TextTable standard) {
            super(colors, standard.columns());
            indentWrappedLines = standard.indentWrappedLines;
        }

        @Override
        public Cell putValue(int row, int column, Text value) {
            Column where = columns()[column];
            if (value == null || where.overflow != Column.Overflow.WRAP) {
                return super.putValue(row, column, value);
            }
            Cell last = new Cell(column, row);
            int start = 0; // of the line
            String plain = value.plainString();
            int width = where.width - where.indent - indentWrappedLines;
            int line = row;
            while (plain.length() - start > width) {
                int space = plain.lastIndexOf(' ', start + width);
                if (space <= start) {
                    break;
                }
                last = super.putValue(line, column, value.substring(start, space));
                start = space + 1;
                line = last.row + 1;
                if (line >= rowCount()) {
                    addEmptyRow();
                }
            }
            return super.putValue(line, column, value.substring(start));
        }
    }
}
