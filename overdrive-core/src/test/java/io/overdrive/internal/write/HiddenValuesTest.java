package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.OverdriveException;
import io.overdrive.internal.write.HiddenValues.Written;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HiddenValuesTest {
    private boolean isDropped;
    private boolean isAgreed = true;
    private boolean dropArrives;
    private int waits;

    /** A cluster in which a drop arrives at the node that is asked when the nodes agree. */
    private final CqlSession session = proxy(CqlSession.class, (method, args) -> switch (method) {
        case "checkSchemaAgreement" -> {
            waits++;
            isDropped |= dropArrives;
            yield isAgreed;
        }
        case "execute" -> proxy(ResultSet.class, (getter, none) -> rows().iterator());
        default -> null;
    });

    private List<Row> rows() {
        return isDropped
                ? List.of(proxy(
                        Row.class,
                        (getter, column) -> column[0].equals(0) ? "v" : Instant.parse("2026-01-31T13:45:00Z")))
                : List.of();
    }

    private static <T> T proxy(Class<T> type, BiFunction<String, Object[], @Nullable Object> answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, args) -> answer.apply(method.getName(), args == null ? new Object[0] : args)));
    }

    private HiddenValues values() {
        return HiddenValues.of(
                session,
                CqlIdentifier.fromInternal("ks"),
                CqlIdentifier.fromInternal("t"),
                List.of(new Written("v", 0)));
    }

    @Test
    void waitsForTheNodesToAgreeBeforeItSaysThatNothingWasDropped() {
        HiddenValues values = values();
        dropArrives = true;
        assertThatThrownBy(() -> values.refuseIfDroppedMeanwhile(session))
                .isInstanceOf(OverdriveException.class)
                .hasMessageStartingWith(
                        "[ks.t] column \"v\" was dropped at 2026-01-31T13:45:00Z, while rows were written");
        assertThat(waits).isOne();
    }

    /** A cluster that is upgraded is like that. */
    @Test
    void doesNotFailIfTheNodesNeverAgree() {
        HiddenValues values = values();
        isAgreed = false;
        values.refuseIfDroppedMeanwhile(session);
        assertThat(waits).isOne();
    }
}
