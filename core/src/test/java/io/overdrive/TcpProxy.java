package io.overdrive;

import com.datastax.oss.driver.api.core.addresstranslation.AddressTranslator;
import com.datastax.oss.driver.api.core.context.DriverContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Passes connections on to one node, and delays, throttles, stalls, damages and cuts them. What it delays by different times on different
 * connections overtakes each other. Thread-safe. Public for the tests of jobs.
 */
public final class TcpProxy implements AutoCloseable {
    private static final Map<InetSocketAddress, InetSocketAddress> PROXIES = new ConcurrentHashMap<>();
    private static final int CHUNK_BYTES = 16 << 10;

    private final InetSocketAddress node;
    private final ServerSocket server;
    private final Random seeds;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private volatile int maxDelayMillis;
    private volatile long bytesPerSecond = Long.MAX_VALUE;
    private volatile boolean isStalled;

    /** Used by drivers that {@link #through} configures. */
    public static final class Translator implements AddressTranslator {
        /** Called by the driver. */
        public Translator(DriverContext context) {}

        @Override
        public InetSocketAddress translate(InetSocketAddress address) {
            return PROXIES.getOrDefault(address, address);
        }

        @Override
        public void close() {}
    }

    public TcpProxy(InetSocketAddress node, Random random) throws IOException {
        this.node = node;
        this.seeds = new Random(random.nextLong());
        this.server = new ServerSocket(0, /* backlog */ 50, InetAddress.getLoopbackAddress());
        PROXIES.put(node, address());
        start("accept", this::accept);
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
    }

    /** Options to connect to a cluster only through the proxies of its nodes, this one first. */
    public ConnectOptions.Builder through() {
        return ConnectOptions.builder()
                .contactPoint(address())
                .driverSetting("advanced.address-translator.class", Translator.class.getName());
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, "proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                try {
                    Link link = new Link(client, new Socket(node.getAddress(), node.getPort()));
                    links.add(link);
                    link.start();
                } catch (IOException e) {
                    client.close(); // the node is down
                }
            } catch (IOException e) {
                // closed, or the client has gone already
            }
        }
    }

    /** Delays each piece of data by up to this time, at random. */
    public void delay(int maxMillis) {
        maxDelayMillis = maxMillis;
    }

    /** Limits each direction of each connection. */
    public void throttle(long rate) {
        bytesPerSecond = rate;
    }

    /** Passes nothing on, and keeps connections open. */
    public void stall() {
        isStalled = true;
    }

    public void resume() {
        isStalled = false;
    }

    /** Cuts all connections inside the next piece of data that they pass on. */
    public void cutInsideAFrame() {
        links.forEach(link -> link.cutsNext = true);
    }

    /** Changes a bit of the next piece of data that each connection passes on, in either direction. */
    public void flipABit() {
        links.forEach(link -> link.flipsNext = true);
    }

    /** Cuts all connections now. */
    public void cut() {
        links.forEach(Link::close);
    }

    @Override
    public void close() {
        PROXIES.remove(node);
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }

    private record Chunk(byte[] bytes, long dueNanos) {}

    private final class Link {
        private final Socket client;
        private final Socket target;
        private volatile boolean cutsNext;
        private volatile boolean flipsNext;

        Link(Socket client, Socket target) {
            this.client = client;
            this.target = target;
        }

        void start() throws IOException {
            client.setTcpNoDelay(true);
            target.setTcpNoDelay(true);
            pump(client, target);
            pump(target, client);
        }

        /** One thread reads, another one writes in the same order when the data is due. */
        private void pump(Socket from, Socket to) throws IOException {
            BlockingQueue<Chunk> chunks = new ArrayBlockingQueue<>(64);
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            Random random = new Random(seeds.nextLong());
            TcpProxy.start("read", () -> read(in, chunks, random));
            TcpProxy.start("write", () -> write(chunks, out));
        }

        private void read(InputStream in, BlockingQueue<Chunk> chunks, Random random) {
            byte[] buffer = new byte[CHUNK_BYTES];
            long due = System.nanoTime();
            try {
                for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                    long delay = TimeUnit.MILLISECONDS.toNanos(random.nextInt(maxDelayMillis + 1));
                    due = Math.max(due, System.nanoTime() + delay) + TimeUnit.SECONDS.toNanos(length) / bytesPerSecond;
                    chunks.put(new Chunk(Arrays.copyOf(buffer, length), due));
                }
                chunks.put(new Chunk(new byte[0], due));
            } catch (IOException | InterruptedException e) {
                close();
            }
        }

        private void write(BlockingQueue<Chunk> chunks, OutputStream out) {
            try {
                for (Chunk chunk = chunks.take(); chunk.bytes.length > 0; chunk = chunks.take()) {
                    TimeUnit.NANOSECONDS.sleep(chunk.dueNanos - System.nanoTime());
                    while (isStalled && !client.isClosed()) {
                        Thread.sleep(5);
                    }
                    if (cutsNext && chunk.bytes.length > 1) {
                        out.write(chunk.bytes, 0, chunk.bytes.length / 2);
                        break;
                    }
                    if (flipsNext) {
                        flipsNext = false;
                        chunk.bytes[chunk.bytes.length / 2] ^= 1;
                    }
                    out.write(chunk.bytes);
                }
            } catch (IOException | InterruptedException e) {
                // the other side has gone
            } finally {
                close();
            }
        }

        void close() {
            links.remove(this);
            for (Socket socket : new Socket[] {client, target}) {
                try {
                    socket.close();
                } catch (IOException e) {
                    // it is closed
                }
            }
        }
    }
}
