package io.overdrive.formats.arrow;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.flatbuffers.FlatBufferBuilder;
import java.io.IOException;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Struct_;
import org.apache.arrow.flatbuf.Type;
import org.junit.jupiter.api.Test;

class ArrowSchemaTest {
    /** Two parts at each of 40 levels are 2^40, in a few bytes. */
    @Test
    void aSchemaThatLeadsToTheSamePartsAgainAndAgainIsRefused() {
        FlatBufferBuilder to = new FlatBufferBuilder();
        int part = field(to, new int[0]);
        for (int level = 0; level < 40; level++) {
            part = field(to, new int[] {part, part});
        }
        int fields = Schema.createFieldsVector(to, new int[] {part});
        to.finish(Schema.createSchema(to, Endianness.Little, fields, 0, 0));
        assertThatThrownBy(() -> ArrowSchema.read(Schema.getRootAsSchema(to.dataBuffer())))
                .isInstanceOf(IOException.class)
                .hasMessage("it has more than 262144 columns and parts of them");
    }

    private static int field(FlatBufferBuilder to, int[] children) {
        int name = to.createString("s");
        int childrenAt = Field.createChildrenVector(to, children);
        Struct_.startStruct_(to);
        int type = Struct_.endStruct_(to);
        return Field.createField(to, name, /* nullable */ true, Type.Struct_, type, 0, childrenAt, 0);
    }
}
