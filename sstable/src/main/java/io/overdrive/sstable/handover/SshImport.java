package io.overdrive.sstable.handover;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.names.JobOption;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies SSTables to the hosts of nodes and runs their scripts there, by the programs ssh and rsync, or scp if there is no rsync here.
 * Immutable.
 */
final class SshImport {
    private static final Logger LOG = LoggerFactory.getLogger(SshImport.class);
    /** Asks for no password, and gives up on a host that does not answer, also in the middle: an import may take hours. */
    private static final List<String> OPTIONS = List.of(
            "-o",
            "BatchMode=yes",
            "-o",
            "ConnectTimeout=15",
            "-o",
            "ServerAliveInterval=15",
            "-o",
            "ServerAliveCountMax=4");

    /** The code with which ssh ends if it fails itself, also when it loses the connection; else it ends as the command does. */
    private static final int SSH_FAILED = 255;

    /** Number of the last lines of a program's output to show, which have its reason. */
    private static final int SHOWN_LINES = 3;

    private final SshTarget target;
    private final String ssh;
    private final boolean isRsync;
    private final List<String> copy = new ArrayList<>();
    /**
     * Begins each command: setsid, so that Ctrl-C at a terminal ends none of them, because a hand-over that has begun continues to the last node. Empty if this
     * host does not have it.
     */
    private final List<String> apart;

    /**
     * Finds the programs.
     *
     * @param path directories of programs, as in the environment variable PATH
     * @throws OverdriveException of kind CONNECT if there are none
     */
    SshImport(SshTarget target, String path) {
        this.target = target;
        ssh = find("ssh", path);
        String rsync = find("rsync", path);
        String scp = find("scp", path);
        if (ssh.isEmpty() || (rsync.isEmpty() && scp.isEmpty())) {
            throw new OverdriveException(
                    Kind.CONNECT,
                    words -> words.of(JobOption.SSH) + " needs the programs ssh, and rsync or scp: "
                            + (ssh.isEmpty() ? "ssh" : "rsync and scp") + " cannot be found on the PATH; install an"
                            + " ssh client, or have a directory written for each node with "
                            + words.of(JobOption.SSTABLE_DIRECTORY));
        }
        String setsid = find("setsid", path);
        apart = setsid.isEmpty() ? List.of() : List.of(setsid);
        isRsync = !rsync.isEmpty();
        if (isRsync) {
            copy.addAll(List.of(rsync, "-a", "-e", "ssh " + String.join(" ", OPTIONS)));
        } else {
            copy.addAll(List.of(scp, "-r"));
            copy.addAll(OPTIONS);
        }
    }

    /** Empty if there is none. */
    private static String find(String program, String path) {
        return Arrays.stream(path.split(File.pathSeparator))
                .filter(each -> !each.isEmpty())
                .map(each -> Path.of(each, program))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElse("");
    }

    /**
     * Checks that the directory of a host can be written, and that the programs are there which are needed.
     *
     * @return files that earlier runs have left there
     * @throws IOException if not, or the host does not let us in
     */
    List<String> check(String host) throws IOException {
        String directory = target.directory();
        StringBuilder command = new StringBuilder("test -d " + directory + " -a -w " + directory
                + " || { echo 'no files can be created in " + directory + "'; exit 1; }; ");
        for (String program : isRsync ? List.of("nodetool", "rsync") : List.of("nodetool")) {
            command.append("command -v " + program + " > /dev/null || { echo \"" + program
                    + " is not on the PATH of a command over ssh there, which is $PATH\"; exit 1; }; ");
        }
        String left = directory + "/" + Staging.PREFIX;
        // other lines are what ssh, or a login there, says each time
        return run(sshTo(host, command + "ls -d " + left + "* 2>/dev/null; true")).stream()
                .filter(line -> line.startsWith(left))
                .toList();
    }

    /**
     * Copies the directory of a node to its host, runs its script, and deletes the copy.
     *
     * @return why the node has not imported the SSTables; null if it has
     */
    @Nullable String importFrom(Path directory, String host, String name) {
        try {
            List<String> words = new ArrayList<>(copy);
            words.add(directory + (isRsync ? "/" : "")); // rsync copies what is in it, scp the directory
            words.add(target.remote(host, target.directory() + "/" + name));
            run(words);
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
        try {
            run(sshTo(host, script(name)));
        } catch (IOException e) {
            boolean isLost = e instanceof Failed failed && failed.code == SSH_FAILED;
            return e.getMessage() + (isLost ? "; it may have imported them, and a second import changes no row" : "");
        }
        delete(host, target.directory() + "/" + name);
        return null;
    }

    /** If that fails, the node has imported everything nevertheless. */
    private void delete(String host, String copy) {
        try {
            run(sshTo(host, "rm -rf " + copy));
        } catch (IOException e) {
            LOG.warn(
                    "the node has imported its SSTables, but their remaining files, {} on host {}, cannot be deleted"
                            + " ({}); delete it there",
                    copy,
                    host,
                    e.getMessage());
        }
    }

    /** The command with which a user does the same. */
    String command(Path directory, String host, String name) {
        String to = target.remote(host, target.directory() + "/" + name);
        String from = Staging.quoted(directory.toString());
        String login = "ssh " + target.login(host) + " ";
        return (isRsync
                        ? "rsync -a " + from + "/ " + to
                        : login + "rm -rf " + target.directory() + "/" + name + " && scp -r " + from + " " + to)
                + " && " + login + script(name);
    }

    private String script(String name) {
        return "sh " + target.directory() + "/" + name + "/" + Staging.SCRIPT;
    }

    private List<String> sshTo(String host, String command) {
        List<String> words = new ArrayList<>(List.of(ssh));
        words.addAll(OPTIONS);
        words.addAll(List.of(target.login(host), command));
        return words;
    }

    /** A program has ended with another code than 0. */
    private static final class Failed extends IOException {
        private static final long serialVersionUID = 1;

        final int code;

        Failed(int code, String message) {
            super(message);
            this.code = code;
        }
    }

    /** Its output, by lines. */
    private List<String> run(List<String> words) throws IOException {
        List<String> all = new ArrayList<>(apart);
        all.addAll(words);
        Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
        try {
            process.getOutputStream().close();
            List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            int code = process.waitFor();
            if (code != 0) {
                List<String> shown = lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size());
                throw new Failed(
                        code,
                        Path.of(words.get(0)).getFileName() + " ended with " + code
                                + (lines.isEmpty() ? "" : ": " + String.join("; ", shown)));
            }
            return lines;
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
