package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.overdrive.OneCaseIn;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code overdrive load --sstables --ssh} with the ssh, scp and rsync of this host, and an sshd that the test starts, which lets in the
 * user of the test. Skipped if one of these is not installed.
 */
class SshIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_ssh");
    private static final Path SSHD = Path.of("/usr/sbin/sshd");
    private static final Path PROGRAMS = Path.of("/usr/bin");

    private final Path directory;
    private final Path staging;
    /** Where SSTables are copied on the host of the node, and its nodetool. */
    private final Path remote;

    private final Path remotePrograms;
    /** All that the load finds on its PATH. */
    private final Path programs;

    private final String address = TestCluster.host().replaceFirst(":\\d+$", "");
    private int port;

    @SuppressWarnings("NullAway.Init")
    private Process sshd;

    SshIT(@TempDir Path directory) throws IOException {
        this.directory = directory;
        staging = Files.createDirectory(directory.resolve("staging"));
        remote = Files.createDirectory(directory.resolve("remote"));
        remotePrograms = Files.createDirectory(directory.resolve("there"));
        programs = Files.createDirectory(directory.resolve("bin"));
    }

    @BeforeEach
    void start() throws Exception {
        assumeTrue(Stream.of(SSHD, PROGRAMS.resolve("ssh"), PROGRAMS.resolve("scp"), PROGRAMS.resolve("ssh-keygen"))
                .allMatch(Files::isExecutable));
        for (String key : List.of("host", "other", "user")) {
            run(
                    PROGRAMS.resolve("ssh-keygen").toString(),
                    "-q",
                    "-t",
                    "ed25519",
                    "-N",
                    "",
                    "-f",
                    directory + "/" + key);
        }
        Files.copy(directory.resolve("user.pub"), directory.resolve("authorized"));
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName(address))) {
            port = free.getLocalPort();
        }
        Files.write(
                directory.resolve("sshd_config"),
                List.of(
                        "Port " + port,
                        "ListenAddress " + address,
                        "HostKey " + directory.resolve("host"),
                        "AuthorizedKeysFile " + directory.resolve("authorized"),
                        "StrictModes no",
                        "UsePAM no",
                        "Subsystem sftp internal-sftp",
                        "PidFile none",
                        "SetEnv PATH=" + remotePrograms + ":/usr/bin:/bin"));
        Files.write(
                directory.resolve("ssh_config"),
                List.of(
                        "Port " + port,
                        "IdentityFile " + directory.resolve("user"),
                        "IdentitiesOnly yes",
                        "StrictHostKeyChecking yes",
                        "UserKnownHostsFile " + directory.resolve("known")));
        knownHost("host");
        for (String name : List.of("ssh", "scp")) {
            program(
                    programs,
                    name,
                    "exec " + PROGRAMS.resolve(name) + " -F " + directory.resolve("ssh_config") + " \"$@\"");
        }
        Path setsid = PROGRAMS.resolve("setsid");
        if (Files.isExecutable(setsid)) {
            Files.createSymbolicLink(programs.resolve("setsid"), setsid);
        }
        nodetool();
        startSshd();
        assumeTrue(
                run(programs.resolve("ssh").toString(), "-o", "BatchMode=yes", address, "true") == 0,
                "the user of the test may not log in");
    }

    private void startSshd() throws IOException, InterruptedException {
        sshd = new ProcessBuilder(
                        SSHD.toString(),
                        "-D",
                        "-e",
                        "-f",
                        directory.resolve("sshd_config").toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("sshd.log").toFile())
                .start();
        while (sshd.isAlive()) {
            try (Socket socket = new Socket(address, port)) {
                return;
            } catch (IOException e) {
                Thread.sleep(20);
            }
        }
        assumeTrue(sshd.isAlive(), "sshd does not start here: " + Files.readString(directory.resolve("sshd.log")));
    }

    @AfterEach
    void stopSshd() throws InterruptedException {
        if (sshd != null) {
            sshd.descendants().forEach(ProcessHandle::destroyForcibly);
            sshd.destroyForcibly().waitFor();
        }
    }

    private void knownHost(String key) throws IOException {
        Files.writeString(
                directory.resolve("known"),
                "[" + address + "]:" + port + " " + Files.readString(directory.resolve(key + ".pub")));
    }

    private void nodetool() throws Exception {
        program(
                remotePrograms,
                "nodetool",
                "exec " + Nodetool.script(directory.resolve("tool"), TestCluster.jmx()) + " -p "
                        + TestCluster.jmx().replaceFirst(".*:", "") + " \"$@\"");
    }

    private static void program(Path directory, String name, String line) throws IOException {
        Path file = Files.writeString(directory.resolve(name), "#!/bin/sh\n" + line + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private int run(String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("run.log").toFile());
        builder.environment().put("PATH", programs + ":/usr/bin:/bin");
        return builder.start().waitFor();
    }

    private static String table(String name) {
        String table = KEYSPACE + "." + name;
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, v int)");
        return table;
    }

    private Process load(String table, Path to) throws IOException {
        Path rows = Files.writeString(directory.resolve("in.csv"), "id,v\n1,2\n2,3\n");
        List<String> command =
                Child.command("load", rows.toString(), table, "--host", TestCluster.host(), "--sstables");
        command.addAll(List.of("--ssh", "{host}:" + to, "--staging-directory", staging.toString()));
        command.addAll(List.of("--rejects", directory.toString()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile());
        builder.environment().put("PATH", programs.toString());
        return builder.start();
    }

    private String out() throws IOException {
        return Files.readString(directory.resolve("out"));
    }

    private String err() throws IOException {
        return Files.readString(directory.resolve("err"));
    }

    private void rsync() throws IOException {
        assumeTrue(Files.isExecutable(PROGRAMS.resolve("rsync")));
        Files.createSymbolicLink(programs.resolve("rsync"), PROGRAMS.resolve("rsync"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rsync", "scp"})
    @OneCaseIn(2)
    void copiesAndImports(String program) throws Exception {
        if (program.equals("rsync")) {
            rsync();
        }
        String table = table("by_" + program);
        assertThat(load(table, remote).waitFor()).as(err()).isEqualTo(Main.DONE);
        assertThat(out()).startsWith("2 rows read = 2 written + 0 rejected\n");
        assertThat(TestCluster.count(table, "id")).isEqualTo(2);
        assertThat(remote).isEmptyDirectory();
        assertThat(staging).isEmptyDirectory();
    }

    private void assertRefused(String table, Path to, String reason) throws Exception {
        assertThat(load(table, to).waitFor()).isEqualTo(Main.FAILED);
        assertThat(err())
                .contains("SSTables cannot be copied to node " + TestCluster.host() + ": ssh ended with " + reason);
        assertThat(staging).isEmptyDirectory();
    }

    @Test
    void saysBeforeTheFirstRowWhatIsWrong() throws Exception {
        String table = table("refused");
        assertRefused(
                table,
                directory.resolve("nowhere"),
                "1: no files can be created in " + directory.resolve("nowhere") + "; ");
        Files.move(remotePrograms.resolve("nodetool"), directory.resolve("moved"));
        assertRefused(table, remote, "1: nodetool is not on the PATH of a command over ssh there, which is ");
        knownHost("other");
        assertRefused(table, remote, "255: ");
        assertThat(err()).contains("Host key verification failed.; --ssh needs ");
        knownHost("host");
        Files.writeString(directory.resolve("authorized"), "");
        assertRefused(table, remote, "255: ");
        assertThat(err()).contains("Permission denied (publickey");
        stopSshd();
        assertRefused(
                table, remote, "255: ssh: connect to host " + address + " port " + port + ": Connection refused; ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rsync", "scp"})
    @Tag("nightly")
    void keepsTheSstablesIfSshdIsGoneDuringTheImport(String program) throws Exception {
        if (program.equals("rsync")) {
            rsync();
        }
        String table = table("gone_" + program);
        Path started = directory.resolve("started");
        program(remotePrograms, "nodetool", "touch " + started + "; exec sleep 600");
        Process load = load(table, remote);
        while (load.isAlive() && !Files.exists(started)) {
            Thread.sleep(20);
        }
        stopSshd();
        assertThat(load.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(load.exitValue()).isEqualTo(Main.FAILED);
        assertThat(out())
                .contains("2 rows read = 0 written + 0 rejected + 2 NOT WRITTEN", "NOT IMPORTED: ssh ended with 255");
        assertThat(TestCluster.count(table, "id")).isZero();

        nodetool();
        startSshd();
        String command = out().lines()
                .filter(line -> line.contains("NOT COMPLETE: to finish " + TestCluster.host() + ": "))
                .findFirst()
                .orElseThrow()
                .replaceFirst(".*NOT COMPLETE: to finish \\S+: ", "");
        assertThat(run("/bin/sh", "-c", command))
                .as(command + "\n" + Files.readString(directory.resolve("run.log")))
                .isZero();
        assertThat(TestCluster.count(table, "id")).isEqualTo(2);
    }
}
