package io.overdrive.formats.parquet;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.Util;
import shaded.parquet.org.apache.thrift.TBase;
import shaded.parquet.org.apache.thrift.TConfiguration;
import shaded.parquet.org.apache.thrift.TException;
import shaded.parquet.org.apache.thrift.protocol.TCompactProtocol;
import shaded.parquet.org.apache.thrift.transport.TIOStreamTransport;
import shaded.parquet.org.apache.thrift.transport.TTransportException;

/** Metadata of files and pages, in the encoding of Thrift. A damaged length in them takes no more memory than they have. Stateless. */
final class Metadata {
    /** Longer bounds of values are not read with the header of a page. */
    private static final int MAX_PAGE_HEADER_BYTES = 16 << 20;

    private Metadata() {}

    static FileMetaData ofFile(byte[] bytes) throws IOException {
        FileMetaData about = new FileMetaData();
        read(about, new ByteArrayInputStream(bytes), bytes.length);
        return about;
    }

    static PageHeader ofPage(InputStream in) throws IOException {
        PageHeader header = new PageHeader();
        read(header, in, MAX_PAGE_HEADER_BYTES);
        return header;
    }

    /** @param limit of the bytes of a text, and of the parts of a list, which have at least a byte each */
    private static void read(TBase<?, ?> to, InputStream in, int limit) throws IOException {
        try {
            TConfiguration limits = new TConfiguration(limit, limit, TConfiguration.DEFAULT_RECURSION_DEPTH);
            to.read(new TCompactProtocol(new TIOStreamTransport(limits, in), limit, limit));
        } catch (TTransportException e) {
            if (e.getType() == TTransportException.END_OF_FILE) {
                throw new EOFException("its metadata have no end");
            }
            throw damaged(e);
        } catch (TException e) {
            throw damaged(e);
        }
    }

    private static IOException damaged(TException e) {
        String message = String.valueOf(e.getMessage());
        int struct = message.indexOf("! Struct:"); // and then all of it
        return new IOException("its metadata are damaged: " + (struct < 0 ? message : message.substring(0, struct)), e);
    }

    static byte[] bytes(FileMetaData about) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            Util.writeFileMetaData(about, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // in memory
        }
        return bytes.toByteArray();
    }
}
