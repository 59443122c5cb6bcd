package io.overdrive.formats.records;

import com.fasterxml.jackson.core.JsonParser;
import io.overdrive.internal.names.MessageText;
import java.io.IOException;

/** Does nothing; tests override what they check. */
public class IgnoringHandler implements RecordHandler {
    @Override
    public void begin(Block block, long line, long position) {}

    @Override
    public void field(int index, char[] chars, int from, int to, boolean quoted) {}

    @Override
    public void field(String name, JsonParser json) throws IOException {}

    @Override
    public void end(int fieldCount) {}

    @Override
    public void malformed(Block block, long line, long position, byte[] raw, MessageText reason) {}
}
