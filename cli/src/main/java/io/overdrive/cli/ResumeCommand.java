package io.overdrive.cli;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.cli.options.ConnectMixin;
import io.overdrive.cli.options.JournalMixin;
import io.overdrive.cli.options.RunArguments;
import io.overdrive.cli.options.SettingOptions;
import io.overdrive.jobs.journal.RunStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code overdrive resume}: resumes a run, by its command line. */
@Command(
        name = "resume",
        sortOptions = false,
        modelTransformer = SettingOptions.Model.class,
        customSynopsis = "overdrive resume RUN [OPTIONS]",
        description = "Resumes a run that was stopped or killed, or failed: its finished part is not repeated."
                + " Options of the connection replace the run's.",
        footer = {
            "",
            "Examples:",
            "  overdrive resume 20260131-134500-abcd",
            "  overdrive resume 20260131-134500-abcd --host 10.0.0.2 --user app --password-file pw",
        })
final class ResumeCommand implements Callable<Integer>, SettingOptions.Command {
    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "RUN",
            hideParamSyntax = true,
            description = "The id of the run, as overdrive runs shows it.")
    private String run = "";

    /** They are passed on as they were given. */
    @Override
    public List<SettingOptions> settingOptions() {
        return List.of(new ConnectMixin().group());
    }

    @Override
    public Integer call() {
        RunStore.Entry entry = JournalMixin.store().find(run);
        Path here = Path.of("").toAbsolutePath();
        Path there = entry.info().directory();
        if (!here.equals(there)) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "run " + run
                            + " began in another directory, and its files are named from there; go there first: cd "
                            + there);
        }
        List<String> own = RunArguments.of(spec.commandLine().getParseResult());
        List<String> connection = own.subList(0, own.indexOf("--"));
        List<String> arguments = new ArrayList<>();
        arguments.add(entry.info().command());
        arguments.add(JournalMixin.RESUME_RUN + "=" + run);
        arguments.addAll(RunArguments.withConnection(entry.info().arguments(), connection));
        return Main.resume(arguments.toArray(String[]::new));
    }
}
