package io.overdrive;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Lets one class at a time, of all JVMs of a build, have nodes in numbers: those with the tag {@code cluster} wait for each other, so that
 * their nodes fit into the memory of the machine. JUnit finds it by its name in the resources.
 *
 * <p>The class holds a lock of the operating system on a file, which ends with the JVM at the latest. Confined to the thread of JUnit.
 */
public final class ClusterTurns implements BeforeAllCallback {
    private static final Path FILE = Path.of("..", "target", "cluster.turn");

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        if (!context.getTags().contains("cluster")) {
            return;
        }
        Files.createDirectories(FILE.getParent());
        FileChannel channel = FileChannel.open(FILE, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        // JUnit closes it, and so ends the lock, when the class has ended.
        context.getStore(Namespace.create(ClusterTurns.class)).put(FILE, channel);
        channel.lock();
    }
}
