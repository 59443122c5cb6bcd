package io.overdrive.sstable.handover;

import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where SSTables are copied on the hosts of the nodes, over ssh. Immutable.
 *
 * @param login of a host, such as {@code cassandra@{host}}, with {@code {host}} for the address of each node
 * @param directory on each host, absolute; it exists, and the login may write to it
 */
public record SshTarget(String login, String directory) {
    private static final String HOST = "{host}";
    /** No character has a meaning for a shell, and no word can be taken for an option. */
    private static final Pattern FORM =
            Pattern.compile("((?:\\w[\\w.-]*@)?\\{host\\}[\\w.-]*):(/[\\w./@+-]*[\\w.@+-])/*");

    /**
     * Reads {@code [USER@]{host}:DIRECTORY}.
     *
     * @throws IllegalArgumentException if it is not of that form, or the directory has other characters than letters, digits and
     *     {@code ./@+_-}
     */
    public static SshTarget parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalOptionException(
                    words -> words.of(JobOption.SSH) + " is \"" + text + "\", must be [USER@]{host}:DIRECTORY, such as"
                            + " cassandra@{host}:/var/lib/cassandra/import,"
                            + " with {host} for the address of each node,"
                            + " and an absolute directory without spaces");
        }
        return new SshTarget(matcher.group(1), matcher.group(2));
    }

    /** The login of one host, for ssh. */
    String login(String host) {
        return login.replace(HOST, host);
    }

    /** A path on one host, for rsync and scp. */
    String remote(String host, String path) {
        return login(host.contains(":") ? "[" + host + "]" : host) + ":" + path;
    }
}
