package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import com.github.luben.zstd.ZstdOutputStream;
import io.overdrive.Overdrive;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.jobs.Summary.Outcome;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream;
import org.apache.commons.compress.compressors.snappy.FramedSnappyCompressorOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** Compressed files, from their names to the table; rejected records are saved uncompressed. */
class CompressionIT {
    private static final String KEYSPACE = "files_packed";
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);

    /** Compresses what is written to it. */
    private interface Packer {
        OutputStream pack(OutputStream out) throws IOException;
    }

    @Test
    void packedFilesAreUnpacked(@TempDir Path directory) throws IOException {
        Map<String, Packer> packers = new LinkedHashMap<>();
        packers.put("gz", GZIPOutputStream::new);
        packers.put("zst", ZstdOutputStream::new);
        packers.put("xz", out -> new XZOutputStream(out, new LZMA2Options(1)));
        packers.put("bz2", BZip2CompressorOutputStream::new);
        packers.put("lz4", FramedLZ4CompressorOutputStream::new);
        packers.put("snappy", out -> new FramedSnappyCompressorOutputStream(out));
        OVERDRIVE.session().execute("CREATE TABLE " + KEYSPACE + ".t (id text PRIMARY KEY, n int)");
        Loads loads = new Loads(directory);
        for (Map.Entry<String, Packer> each : packers.entrySet()) {
            Path file = directory.resolve("x.csv." + each.getKey());
            try (OutputStream out = each.getValue().pack(Files.newOutputStream(file))) {
                StringBuilder text = new StringBuilder("id,n\n");
                for (int i = 0; i < 1000; i++) {
                    text.append(each.getKey()).append(i).append(',').append(i).append('\n');
                }
                out.write(text.append(each.getKey()).append(",bad\n").toString().getBytes(StandardCharsets.UTF_8));
            }
            loads.file(file);
        }
        LoadSummary summary = loads.run(OVERDRIVE, WriteOptions.into(KEYSPACE, "t"));
        assertThat(summary.failure()).isNull();
        assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
        assertThat(summary.rowsRead()).isEqualTo(6 * 1001);
        assertThat(summary.rowsWritten()).isEqualTo(6 * 1000);
        assertThat(loads.text("x.csv.rejected").lines())
                .containsExactlyInAnyOrder("id,n", "gz,bad", "zst,bad", "xz,bad", "bz2,bad", "lz4,bad", "snappy,bad");
        Row sum = OVERDRIVE
                .session()
                .execute("SELECT count(*), sum(n) FROM " + KEYSPACE + ".t")
                .one();
        assertThat(sum).isNotNull();
        assertThat(sum.getLong(0)).isEqualTo(6000);
        assertThat(sum.getInt(1)).isEqualTo(6 * 499_500);
    }
}
