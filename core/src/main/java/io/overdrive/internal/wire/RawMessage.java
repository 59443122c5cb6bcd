package io.overdrive.internal.wire;

import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.PrimitiveCodec;
import io.netty.buffer.ByteBuf;

/**
 * A request whose body is already in wire format: the driver only adds the envelope. Immutable; on the hot path (write
 * step 5).
 */
public final class RawMessage extends Message {
    private final byte[] body;

    public RawMessage(int opcode, byte[] body) {
        super(/* isResponse */ false, opcode);
        this.body = body;
    }

    public byte[] body() {
        return body;
    }

    /**
     * Encodes raw messages, and delegates the driver's own messages of the same opcode to the driver's codec. Immutable.
     */
    static final class Codec extends Message.Codec {
        private final Message.Codec driversOwn;

        Codec(Message.Codec driversOwn) {
            super(driversOwn.opcode, driversOwn.protocolVersion);
            this.driversOwn = driversOwn;
        }

        @Override
        public <B> void encode(B target, Message message, PrimitiveCodec<B> primitives) {
            if (message instanceof RawMessage raw) {
                ((ByteBuf) target).writeBytes(raw.body);
            } else {
                driversOwn.encode(target, message, primitives);
            }
        }

        @Override
        public int encodedSize(Message message) {
            return message instanceof RawMessage raw ? raw.body.length : driversOwn.encodedSize(message);
        }

        @Override
        public <B> Message decode(B source, PrimitiveCodec<B> primitives) {
            return driversOwn.decode(source, primitives);
        }
    }
}
