package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.jobs.journal.RunDirectory;
import io.overdrive.jobs.journal.RunInfo;
import io.overdrive.jobs.journal.RunStatus;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.RunStore;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs are resumed by the command that began them only, which is checked before anything is connected. */
class ResumeArgumentsTest {
    private static final RunStore STORE = new RunStore(Path.of(System.getenv("OVERDRIVE_STATE"), "runs"));
    private static final Path HERE = Path.of("").toAbsolutePath();

    /** A run that was stopped. */
    private static String run(String command, Path directory, List<String> arguments) {
        List<String> kept = new ArrayList<>(List.of("--"));
        kept.addAll(arguments);
        try (RunDirectory run = STORE.create(
                new RunInfo(command, kept, directory, Instant.now(), "1", List.of(), List.of(), Map.of()))) {
            run.status(new RunStatus(State.STOPPED, Instant.now(), 5, 0.5, ""));
            return run.id();
        }
    }

    private static String refusal(String command, List<String> arguments, String... more) {
        List<String> line = new ArrayList<>(List.of(command));
        line.addAll(arguments);
        line.addAll(List.of(more));
        Cli refused = Cli.run(line.toArray(String[]::new));
        assertThat(refused.code()).as(refused.err()).isEqualTo(Main.FAILED);
        return refused.err();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "unload other_args.a out/ | --columns=a",
                "unload other_args.a out.csv | --where=a>1",
                "unload other_args.a out.csv.gz | --consistency=LOCAL_ONE",
                "copy other_args.a other_args.c | --read-consistency=LOCAL_ONE",
                "copy other_args.a other_args.b | --keep-times",
                "diff other_args.a other_args.b | --columns=a",
                "count other_args.a | --by=partition",
                "unload other_args.a out/ | --token-range=0,5",
                "count other_args.a | --token-range=0,5:7,9",
            })
    void otherArgumentsAreRefused(String commandAndOption) {
        String[] parts = commandAndOption.split(" \\| ");
        List<String> words = List.of(parts[0].split(" "));
        List<String> arguments = words.subList(1, words.size());
        String id = run(words.get(0), HERE, arguments);
        assertThat(refusal(words.get(0), arguments, parts[1], "--resume"))
                .isEqualTo("overdrive: there is no unfinished run of this command to resume; the nearest is " + id
                        + ": it did not have " + parts[1] + "; see: overdrive runs\n");
        assertThat(refusal(words.get(0), arguments, parts[1], "--resume-run=" + id))
                .isEqualTo("overdrive: run " + id + " is not one of this command: it did not have " + parts[1]
                        + "; to resume it: overdrive resume " + id + "\n");
    }

    @Test
    void theRunOfAnotherCommandIsRefused() {
        String id = run("unload", HERE, List.of("other_command.a", "out/"));
        assertThat(refusal("count", List.of("other_command.a"), "--resume-run=" + id))
                .isEqualTo("overdrive: run " + id
                        + " is not one of this command: it is a run of overdrive unload; to resume"
                        + " it: overdrive resume " + id + "\n");
    }

    @Test
    void anotherDirectoryIsRefused() {
        Path elsewhere = Path.of("/elsewhere");
        List<String> arguments = List.of("other_directory.a", "out/");
        String id = run("unload", elsewhere, arguments);
        assertThat(refusal("unload", arguments, "--resume"))
                .endsWith("the nearest is " + id + ": it ran in /elsewhere; see: overdrive runs\n");
        assertThat(refusal("unload", arguments, "--resume-run=" + id)).contains(": it ran in /elsewhere; to resume");
        assertThat(refusal("resume", List.of(id)))
                .isEqualTo(
                        "overdrive: run " + id + " began in another directory, and its files are named from there; go"
                                + " there first: cd /elsewhere\n");
    }

    @Test
    void aRunThatDoesNotExistIsRefused() {
        assertThat(refusal("resume", List.of("20260131-134500-abcd")))
                .startsWith("overdrive: there is no run 20260131-134500-abcd in ")
                .endsWith("/runs; see: overdrive runs\n");
    }
}
