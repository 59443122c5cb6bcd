package io.overdrive.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The tests of S3 on a second server: one in each build, all of them nightly. Moto is fetched once. */
@Timeout(600)
class MotoTest {
    private static MotoServer moto;

    @BeforeAll
    static void start() throws Exception {
        boolean canStart = MotoServer.canStart();
        if (!canStart && "true".equals(System.getenv("CI"))) {
            fail("there is no python3 with venv and pip, which runs moto: install it");
        }
        assumeTrue(canStart, "no python3 with venv and pip on this machine: moto is not started");
        moto = MotoServer.start();
    }

    @AfterAll
    static void stop() throws Exception {
        if (moto != null) {
            moto.close();
        }
    }

    @Test
    void readsWhatWasUploadedInParts(@TempDir Path local) throws Exception {
        All test = new All(local);
        test.readsWhatWasUploadedInParts();
        test.createsAnObjectOnce();
        assertThat(StoreContract.walk(test.path(""))).containsExactly("large");
        test.close();
    }

    @Nested
    @Tag("nightly")
    class All extends S3StoreTest {
        All(@TempDir Path local) throws Exception {
            super(local);
        }

        @Override
        Place place() {
            return new Place(moto.endpoint(), /* checksSignatures */ false);
        }
    }
}
