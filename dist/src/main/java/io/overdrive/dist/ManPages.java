package io.overdrive.dist;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Man pages of a command and its subcommands, from the same model as their help. Immutable.
 *
 * @param date of the pages, such as 2026-01-31
 * @param source name and version of the program
 */
record ManPages(String date, String source) {
    private static final String SECTION = "1";

    /** The pages by the names of their files. */
    Map<String, String> of(CommandLine command) {
        Map<String, String> pages = new TreeMap<>();
        collect(command, pages);
        return pages;
    }

    private void collect(CommandLine command, Map<String, String> pages) {
        pages.put(name(command) + "." + SECTION, page(command));
        subcommands(command).forEach(sub -> collect(sub, pages));
    }

    private static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName("-");
    }

    private static List<CommandLine> subcommands(CommandLine command) {
        return command.getSubcommands().values().stream()
                .filter(sub -> !sub.getCommandSpec().usageMessage().hidden())
                .distinct() // a command may have aliases
                .toList();
    }

    private String page(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        String description = sentences(spec.usageMessage().description());
        Roff page = new Roff()
                .title(name(command), SECTION, date, source)
                .section("Name")
                .words(name(command) + " - " + firstSentence(description))
                .section("Synopsis")
                .words(synopsis(command))
                .section("Description")
                .words(description);
        List<PositionalParamSpec> parameters =
                shown(spec.positionalParameters()).toList();
        if (!parameters.isEmpty()) {
            page.section("Arguments");
            parameters.forEach(parameter -> page.item(parameter.paramLabel(), sentences(parameter.description())));
        }
        options(command, page);
        List<CommandLine> subcommands = subcommands(command);
        if (!subcommands.isEmpty()) {
            page.section("Commands");
            subcommands.forEach(sub -> page.item(
                    sub.getCommandName(),
                    sentences(sub.getCommandSpec().usageMessage().description())));
        }
        footer(spec, page);
        List<String> others = Stream.concat(
                        Stream.ofNullable(command.getParent()).map(ManPages::name),
                        subcommands.stream().map(ManPages::name))
                .map(other -> other + "(" + SECTION + ")")
                .toList();
        return page.section("See also").words(String.join(", ", others)).toString();
    }

    private static String synopsis(CommandLine command) {
        Help help = new Help(command.getCommandSpec(), Help.defaultColorScheme(Ansi.OFF));
        return help.synopsis(0).replaceAll("\\s+", " ");
    }

    /** Writes the options without a group, then the groups with their headings, in the order of the help. */
    private static void options(CommandLine command, Roff page) {
        CommandSpec spec = command.getCommandSpec();
        Help help = new Help(spec, Help.defaultColorScheme(Ansi.OFF));
        List<ArgGroupSpec> groups = new ArrayList<>();
        spec.argGroups().forEach(group -> withHeading(group, groups));
        List<OptionSpec> inGroups = groups.stream()
                .flatMap(group -> group.allOptionsNested().stream())
                .toList();
        page.section("Options");
        shown(spec.options()).filter(option -> !inGroups.contains(option)).forEach(option -> item(help, option, page));
        groups.sort(Comparator.comparingInt(ArgGroupSpec::order));
        for (ArgGroupSpec group : groups) {
            page.subsection(format(group.heading()).strip());
            shown(group.allOptionsNested()).forEach(option -> item(help, option, page));
        }
    }

    private static void withHeading(ArgGroupSpec group, List<ArgGroupSpec> found) {
        if (group.heading() != null) {
            found.add(group);
        } else {
            group.subgroups().forEach(sub -> withHeading(sub, found));
        }
    }

    private static <A extends ArgSpec> Stream<A> shown(List<A> args) {
        return args.stream().filter(arg -> !arg.hidden());
    }

    private static void item(Help help, OptionSpec option, Roff page) {
        String value = help.parameterLabelRenderer()
                .renderParameterLabel(option, Ansi.OFF, List.of())
                .toString();
        page.item(String.join(", ", option.names()) + value, sentences(option.description()));
    }

    /** Lines that end with a colon are headings, indented ones are examples. */
    private static void footer(CommandSpec spec, Roff page) {
        List<String> examples = new ArrayList<>();
        for (String line : spec.usageMessage().footer()) {
            String text = format(line);
            if (text.startsWith("  ")) {
                examples.add(text.substring(2));
                continue;
            }
            flush(examples, page);
            if (text.endsWith(":")) {
                page.section(text.substring(0, text.length() - 1));
            } else if (!text.isBlank()) {
                page.paragraph(text);
            }
        }
        flush(examples, page);
    }

    private static void flush(List<String> examples, Roff page) {
        if (!examples.isEmpty()) {
            page.verbatim(examples);
            examples.clear();
        }
    }

    private static String sentences(String[] lines) {
        return Stream.of(lines).map(ManPages::format).collect(Collectors.joining("\n"));
    }

    private static String firstSentence(String text) {
        return text.replaceAll("(?s)\\.(\\s.*)?$", "");
    }

    /** Formats a line as picocli prints it: lines may have formats such as {@code %n}, and markup. */
    private static String format(String line) {
        return Ansi.OFF.string(String.format(line));
    }
}
