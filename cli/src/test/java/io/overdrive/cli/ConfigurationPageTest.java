package io.overdrive.cli;

import io.overdrive.cli.config.OptionModel;
import io.overdrive.cli.config.Secrets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** docs/reference/configuration.md lists each option; {@code -Dpages.write=true} writes the list. */
class ConfigurationPageTest {
    private static final String START = "<!-- options: made by ConfigurationPageTest -->\n";
    private static final String END = "<!-- end of options -->\n";

    @Test
    void thePageListsEachOption() throws IOException {
        String options = options(Main.commandLine().getCommandSpec());
        MadePage.of("reference/configuration.md").check(page -> MadePage.replaced(page, START, options, END));
    }

    private static String options(CommandSpec root) {
        StringBuilder secrets = new StringBuilder("| Secret | Variable | Commands |\n|---|---|---|\n");
        StringBuilder options =
                new StringBuilder("| Key | Variable | Default | Meaning | Commands |\n|---|---|---|---|---|\n");
        for (OptionSpec option : OptionModel.options(root).values()) {
            String start = "| `" + OptionModel.key(option) + "` | `" + OptionModel.variable(option) + "` | ";
            if (Secrets.is(option)) {
                String commands = String.join(", ", OptionModel.commandsWith(root, option.longestName()));
                secrets.append(start).append(commands).append(" |\n");
            } else {
                byMeaning(root, option).forEach((alike, commands) -> options.append(start)
                        .append(cell(alike))
                        .append(String.join(", ", commands))
                        .append(" |\n"));
            }
        }
        return secrets + "\n" + options;
    }

    /** Default and meaning of an option, which differ between commands, and the commands. */
    private static Map<String, List<String>> byMeaning(CommandSpec root, OptionSpec option) {
        Map<String, List<String>> all = new LinkedHashMap<>();
        OptionModel.commands(root).forEach((section, command) -> {
            OptionSpec its = command.findOption(option.longestName());
            if (its != null && !command.usageMessage().hidden()) {
                String byDefault = OptionModel.defaultText(its);
                String meaning = OptionModel.description(its).replace(" Default: " + byDefault + ".", "");
                all.computeIfAbsent(byDefault + " @ " + meaning + " @ ", key -> new ArrayList<>())
                        .add(section.replace('.', ' '));
            }
        });
        return all;
    }

    private static String cell(String text) {
        return String.format(text)
                .replace("|", "\\|")
                .replace("<", "&lt;")
                .replace("*", "\\*")
                .replace(" @ ", " | ");
    }
}
