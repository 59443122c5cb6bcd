package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.response.Event;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** The sockets of all nodes, and their connections, which share a few threads. Thread-safe. */
final class Listeners implements AutoCloseable {
    private static final int MAX_THREADS = 4;
    private static final int MAX_ATTEMPTS = 200;
    private static final long PAUSE_NANOS = 5_000_000;
    private static final String HINT =
            "; choose another port, on a system whose loopback interface has all addresses of"
                    + " 127.0.0.0/8, as Linux has";

    private final NioEventLoopGroup threads = new NioEventLoopGroup(
            Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors()),
            new DefaultThreadFactory("simulated", /* daemon */ true));
    private final Function<SimulatedNode, Connection> newConnection;
    /** Nodes that take connections, or are about to. */
    private final Set<SimulatedNode> up = ConcurrentHashMap.newKeySet();

    /** Sockets that nodes have, or had before they went down. */
    private final Map<SimulatedNode, Channel> sockets = new ConcurrentHashMap<>();

    private final Map<SimulatedNode, Set<Connection>> connections = new ConcurrentHashMap<>();
    private boolean isClosed;

    Listeners(Function<SimulatedNode, Connection> newConnection) {
        this.newConnection = newConnection;
    }

    /** A port at this address that is free now. */
    static int freePort(InetAddress address) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(address, 0));
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("no port is free at " + address.getHostAddress() + HINT, e);
        }
    }

    /**
     * Begins to take connections; false if it does already, or the cluster has ended.
     *
     * @throws UncheckedIOException if its address or port cannot be had
     */
    synchronized boolean open(SimulatedNode node) {
        if (isClosed || !up.add(node)) {
            return false;
        }
        ServerBootstrap server = new ServerBootstrap()
                .group(threads)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        accepted(node, channel);
                    }
                });
        // the socket that it had is closed a moment after its channel
        int attempts = sockets.containsKey(node) ? MAX_ATTEMPTS : 1;
        ChannelFuture bound = server.bind(node.address()).awaitUninterruptibly();
        for (int i = 1; i < attempts && !bound.isSuccess(); i++) {
            LockSupport.parkNanos(PAUSE_NANOS);
            bound = server.bind(node.address()).awaitUninterruptibly();
        }
        if (!bound.isSuccess()) {
            up.remove(node);
            throw new UncheckedIOException(
                    "a simulated node cannot listen at " + node + ": "
                            + bound.cause().getMessage() + HINT,
                    new IOException(bound.cause()));
        }
        sockets.put(node, bound.channel());
        return true;
    }

    private void accepted(SimulatedNode node, SocketChannel channel) {
        Connection connection = newConnection.apply(node);
        Set<Connection> all = connections.computeIfAbsent(node, key -> ConcurrentHashMap.newKeySet());
        all.add(connection);
        channel.closeFuture().addListener(closed -> all.remove(connection));
        Framing.start(channel.pipeline(), connection);
        if (!up.contains(node)) {
            connection.close(); // it went down meanwhile
        }
    }

    /** Takes no more connections, and breaks those that are open. */
    synchronized void close(SimulatedNode node) {
        up.remove(node);
        Channel socket = sockets.get(node);
        if (socket != null) {
            socket.close().awaitUninterruptibly();
        }
        connectionsOf(node).forEach(Connection::close);
    }

    private Set<Connection> connectionsOf(SimulatedNode node) {
        return connections.getOrDefault(node, Set.of());
    }

    int connections(SimulatedNode node) {
        return connectionsOf(node).size();
    }

    /** Sends an event about a node to the clients of all others. */
    void announce(SimulatedNode about, Event event) {
        connections.forEach((node, all) -> {
            if (node != about) {
                all.forEach(connection -> connection.announce(event));
            }
        });
    }

    /** Sends an event to all clients. */
    void announce(Event event) {
        connections.values().forEach(all -> all.forEach(connection -> connection.announce(event)));
    }

    /** Does something later, on a thread that may wait for those of the sockets, unless the cluster has ended. */
    synchronized void after(Duration time, Runnable action) {
        if (isClosed) {
            return;
        }
        GlobalEventExecutor.INSTANCE
                .schedule(action, time.toMillis(), TimeUnit.MILLISECONDS)
                .addListener(done -> {});
    }

    private synchronized void end() {
        isClosed = true;
    }

    /** Ends the threads, which closes all sockets. */
    @Override
    public void close() {
        end();
        threads.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
