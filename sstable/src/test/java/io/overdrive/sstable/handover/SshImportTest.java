package io.overdrive.sstable.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.overdrive.OverdriveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Imports with programs in place of ssh, rsync and scp, for which each host is this one. */
class SshImportTest {
    private static final String NAME = "overdrive-import-1-7_n1";

    private final Path programs;
    private final Path remote;
    /** Programs of the host of the node. */
    private final Path there;

    private final Path sstables;

    SshImportTest(@TempDir Path directory) throws IOException {
        programs = Files.createDirectory(directory.resolve("bin"));
        remote = Files.createDirectory(directory.resolve("remote"));
        sstables = Files.createDirectory(directory.resolve("it's n1"));
        Files.createFile(sstables.resolve("nb-1-big-Data.db"));
        there = Files.createDirectory(directory.resolve("there"));
        for (String tool : new String[] {"cp", "dirname", "ls", "mv", "rm", "sh", "touch"}) {
            Path file = Path.of("/bin", tool);
            program(there, tool, "exec " + (Files.exists(file) ? "" : "/usr") + file + " \"$@\"");
        }
        ssh("");
        program(there, "nodetool", "exit 1");
    }

    /** @param first what it does before it runs the command */
    private void ssh(String first) throws IOException {
        program(
                programs,
                "ssh",
                "while [ \"$1\" = -o ]; do shift 2; done; [ \"$1\" = me@10.0.0.1 ]; shift\n" + first + "\nPATH=" + there
                        + " exec sh -c \"$*\"");
    }

    private static void program(Path directory, String name, String script) throws IOException {
        Path file = Files.writeString(directory.resolve(name), "#!/bin/sh\nset -e\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private void rsync() throws IOException {
        program(there, "rsync", "exit 1");
        program(programs, "rsync", "shift; if [ \"$1\" = -e ]; then shift 2; fi; cp -r \"$1.\" \"${2#me@10.0.0.1:}\"");
    }

    private void scp() throws IOException {
        program(
                programs,
                "scp",
                "while [ \"${1#-}\" != \"$1\" ]; do if [ \"$1\" = -o ]; then shift; fi; shift; done;"
                        + " cp -r \"$1\" \"${2#me@10.0.0.1:}\"");
    }

    private void script(String lines) throws IOException {
        Files.writeString(sstables.resolve(Staging.SCRIPT), lines + "\n");
    }

    private SshImport open() {
        return new SshImport(SshTarget.parse("me@{host}:" + remote), programs.toString());
    }

    private void assertImports() throws IOException {
        script("mv \"$(dirname \"$0\")/nb-1-big-Data.db\" " + remote);
        assertThat(open().importFrom(sstables, "10.0.0.1", NAME)).isNull();
        assertThat(remote.toFile().list()).containsExactly("nb-1-big-Data.db");
        assertThat(open().check("10.0.0.1")).isEmpty();
    }

    @Test
    void copiesByRsyncAndRunsTheScript() throws IOException {
        rsync();
        assertImports();
    }

    @Test
    void copiesByScpIfThereIsNoRsync() throws IOException {
        scp();
        assertImports();
    }

    /** Ctrl-C at a terminal gets to all processes of the foreground's group, and an import that has begun is to continue. */
    @Test
    void programsAreInSeparateGroups() throws IOException {
        Path setsid = Path.of("/usr/bin/setsid");
        assumeTrue(Files.isExecutable(setsid) && Files.exists(Path.of("/proc/self/stat")));
        Files.createSymbolicLink(programs.resolve("setsid"), setsid);
        String inOwnGroup = "read number name state parent group others < /proc/$$/stat; [ \"$group\" = $$ ]\n";
        rsync();
        program(programs, "rsync", inOwnGroup + "cp -r \"$4.\" \"${5#me@10.0.0.1:}\"");
        ssh(inOwnGroup);
        assertImports();
    }

    @Test
    void saysWhyTheScriptFailedAndKeepsTheCopy() throws Exception {
        rsync();
        script("echo first; echo the node has not taken them >&2; exit 3");
        assertThat(open().importFrom(sstables, "10.0.0.1", NAME))
                .isEqualTo("ssh ended with 3: first; the node has not taken them");
        assertThat(open().check("10.0.0.1")).containsExactly(remote + "/" + NAME);
        script("rm \"$(dirname \"$0\")/nb-1-big-Data.db\"; touch " + remote + "/ran");
        assertThat(shell(open().command(sstables, "10.0.0.1", NAME))).isZero();
        assertThat(remote.resolve("ran")).exists();
    }

    @Test
    void aCopyThatCannotBeDeletedIsImportedAllTheSame() throws IOException {
        rsync();
        script("mv \"$(dirname \"$0\")/nb-1-big-Data.db\" " + remote);
        program(there, "rm", "echo 'Permission denied' >&2; exit 1");
        assertThat(open().importFrom(sstables, "10.0.0.1", NAME)).isNull();
        assertThat(open().check("10.0.0.1")).containsExactly(remote + "/" + NAME);
    }

    /** It is unknown whether the node has imported them. */
    @Test
    void saysThatTheNodeMayImportThemIfTheConnectionIsLost() throws IOException {
        rsync();
        script("exit 0");
        ssh("echo 'Connection reset' >&2; exit 255");
        assertThat(open().importFrom(sstables, "10.0.0.1", NAME))
                .isEqualTo(
                        "ssh ended with 255: Connection reset; it may have imported them, and a second import changes"
                                + " no row");
    }

    @Test
    void itsCommandByScpReplacesWhatIsThere() throws Exception {
        scp();
        script("exit 3");
        assertThat(open().importFrom(sstables, "10.0.0.1", NAME)).isEqualTo("ssh ended with 3");
        script("rm \"$(dirname \"$0\")/nb-1-big-Data.db\"; touch " + remote + "/ran");
        assertThat(shell(open().command(sstables, "10.0.0.1", NAME))).isZero();
        assertThat(remote.resolve("ran")).exists();
    }

    private int shell(String command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).inheritIO();
        builder.environment().merge("PATH", programs.toString(), (path, first) -> first + ":" + path);
        return builder.start().waitFor();
    }

    @Test
    void checksTheDirectory() throws IOException {
        rsync();
        Files.delete(remote);
        assertThatThrownBy(() -> open().check("10.0.0.1"))
                .isInstanceOf(IOException.class)
                .hasMessage("ssh ended with 1: no files can be created in " + remote);
        program(programs, "ssh", "echo 'Permission denied (publickey).' >&2; exit 255");
        assertThatThrownBy(() -> open().check("10.0.0.1"))
                .hasMessage("ssh ended with 255: Permission denied (publickey).");
    }

    @Test
    void checksTheProgramsThere() throws IOException {
        rsync();
        assertThat(open().check("10.0.0.1")).isEmpty();
        Files.delete(there.resolve("rsync"));
        assertThatThrownBy(() -> open().check("10.0.0.1"))
                .hasMessage(
                        "ssh ended with 1: rsync is not on the PATH of a command over ssh there, which is " + there);
        Files.delete(programs.resolve("rsync"));
        scp();
        assertThat(open().check("10.0.0.1")).isEmpty();
        Files.delete(there.resolve("nodetool"));
        assertThatThrownBy(() -> open().check("10.0.0.1"))
                .hasMessage(
                        "ssh ended with 1: nodetool is not on the PATH of a command over ssh there, which is " + there);
    }

    @Test
    void whatALoginSaysIsNotLeftByAnEarlierRun() throws IOException {
        rsync();
        ssh("echo '** WARNING: connection is not using a post-quantum key exchange algorithm.' >&2; echo welcome");
        assertThat(open().check("10.0.0.1")).isEmpty();
        Files.createDirectory(remote.resolve(NAME));
        assertThat(open().check("10.0.0.1")).containsExactly(remote + "/" + NAME);
    }

    @Test
    void saysAllThatExplainsAFailedCopy() throws IOException {
        rsync();
        script("exit 0");
        program(
                programs,
                "rsync",
                "echo sending; echo 'Connection reset' >&2; echo 'rsync: connection closed' >&2; echo 'rsync error"
                        + " (code 12)' >&2; exit 12");
        assertThat(open().importFrom(sstables, "10.0.0.1", NAME))
                .isEqualTo("rsync ended with 12: Connection reset; rsync: connection closed; rsync error (code 12)");
    }

    @Test
    void saysWhichProgramIsMissing() throws IOException {
        assertThatThrownBy(this::open)
                .isInstanceOf(OverdriveException.class)
                .hasMessage("ssh needs the programs ssh, and rsync or scp: rsync and scp cannot be found on the PATH;"
                        + " install an ssh client, or have a directory written for each node with directory");
        rsync();
        Files.delete(programs.resolve("ssh"));
        assertThatThrownBy(this::open).hasMessageContaining("rsync or scp: ssh cannot be found on the PATH;");
    }

    @Test
    void namesHostsAndPaths() {
        SshTarget target = SshTarget.parse("cassandra@{host}:/var/lib/cassandra/import/");
        assertThat(target.directory()).isEqualTo("/var/lib/cassandra/import");
        assertThat(target.login("10.0.0.1")).isEqualTo("cassandra@10.0.0.1");
        assertThat(target.remote("::1", "/d")).isEqualTo("cassandra@[::1]:/d");
        assertThat(SshTarget.parse("{host}:/d").login("n1")).isEqualTo("n1");
        for (String wrong : new String[] {
            "cassandra@10.0.0.1:/d",
            "-oProxyCommand=x@{host}:/d",
            "{host}:d",
            "{host}:/d e",
            "{host}:/d;rm",
            "{host}",
            "{host}:/"
        }) {
            assertThatThrownBy(() -> SshTarget.parse(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("ssh is \"" + wrong + "\", must be [USER@]{host}:DIRECTORY, such as");
        }
    }
}
