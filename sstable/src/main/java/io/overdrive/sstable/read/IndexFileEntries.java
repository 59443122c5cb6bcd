package io.overdrive.sstable.read;

import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.format.FileHeader;
import io.overdrive.sstable.format.Vints;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The partitions of an SSTable of the format BIG: Index.db has the key and the place of each. Confined to one thread. */
final class IndexFileEntries implements IndexEntries {
    static final String FILE = "Index.db";
    private final FileChannel channel;
    private final DataInputStream in;
    private byte[] key = new byte[64];
    private int keyBytes;
    private long entry;
    private long nextEntry;
    private long position;

    /** @param data the file that ends in {@code -Data.db} */
    IndexFileEntries(Path data, int bufferBytes) throws IOException {
        channel = FileChannel.open(SstableFile.component(data, FILE), StandardOpenOption.READ);
        in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel), bufferBytes));
    }

    @Override
    public void seek(long entry) throws IOException {
        nextEntry = entry;
        channel.position(entry);
    }

    @Override
    public boolean next() throws IOException, FileHeader.Problem {
        int first = in.read();
        if (first < 0) {
            return false;
        }
        try {
            keyBytes = first << 8 | in.readUnsignedByte();
            if (key.length < keyBytes) {
                key = new byte[2 * keyBytes];
            }
            in.readFully(key, 0, keyBytes);
            position = Vints.read(in);
            long promoted = Vints.read(in);
            in.skipNBytes(promoted);
            entry = nextEntry;
            nextEntry += Short.BYTES + keyBytes + Vints.bytes(position) + Vints.bytes(promoted) + promoted;
            return true;
        } catch (EOFException e) {
            throw SstableIndex.damaged(FILE);
        }
    }

    @Override
    public long entry() {
        return entry;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public long minToken() {
        return Murmur3.token(key, 0, keyBytes);
    }

    @Override
    public SstableIndex.Place place() {
        return SstableIndex.Place.of(minToken(), position);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
