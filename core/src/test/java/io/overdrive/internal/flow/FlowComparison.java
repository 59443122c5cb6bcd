package io.overdrive.internal.flow;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.AIMDLimit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import io.overdrive.InFlightControl;
import io.overdrive.internal.flow.FlowSimulation.Client;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Prints the table of PERFORMANCE.md: our controllers and those of Netflix, which see the median of windows of a second,
 * against simulated nodes. {@code scripts/flow-simulation.sh} runs it.
 */
final class FlowComparison {
    static final int MAX_REQUESTS = 1000;
    static final double MAX_COST = MAX_REQUESTS * (8192.0 + Gate.REQUEST_COST);

    private FlowComparison() {}

    static @Nullable DoubleFunction<LimitController> controllers(InFlightControl control) {
        return Limiter.controllers(control, MAX_COST);
    }

    /** Writes the table to standard output; takes no arguments. */
    public static void main(String[] arguments) {
        Map<String, @Nullable DoubleFunction<LimitController>> controllers = new LinkedHashMap<>();
        controllers.put("round_trips (ours)", controllers(InFlightControl.ROUND_TRIPS));
        controllers.put("fixed 16", null);
        controllers.put("fixed 1000", null);
        controllers.put("vegas (ours)", controllers(InFlightControl.VEGAS));
        controllers.put("gradient (ours)", controllers(InFlightControl.GRADIENT));
        controllers.put("aimd (ours)", controllers(InFlightControl.AIMD));
        controllers.put(
                "Netflix Vegas",
                start -> new Netflix(VegasLimit.newBuilder()
                        .initialLimit(20)
                        .maxConcurrency(MAX_REQUESTS)
                        .build()));
        controllers.put(
                "Netflix Gradient2",
                start -> new Netflix(Gradient2Limit.newBuilder()
                        .initialLimit(20)
                        .minLimit(1)
                        .maxConcurrency(MAX_REQUESTS)
                        .build()));
        controllers.put(
                "Netflix AIMD",
                start -> new Netflix(AIMDLimit.newBuilder()
                        .initialLimit(20)
                        .maxLimit(MAX_REQUESTS)
                        .build()));
        List<String> table = new ArrayList<>(List.of(
                "| controller | steady: requests/s, others' p99, in flight | burst of others: p99 during, requests/s after |"
                        + " half the capacity: requests/s, others' p99 | in flight after 5 min, 20 min |"
                        + " two clients: share of the first |",
                "|---|---|---|---|---|---|"));
        controllers.forEach((name, supplier) -> {
            int max = name.equals("fixed 16") ? 16 : MAX_REQUESTS;
            FlowSimulation steady = run(supplier, max, simulation -> {});
            FlowSimulation burst =
                    run(supplier, max, s -> s.othersPerSecond = now -> now >= 40 && now < 80 ? 1200 : 300);
            FlowSimulation half = run(supplier, max, s -> s.workers = now -> now >= 40 && now < 80 ? 4 : 8);
            FlowSimulation minutes20 = run(supplier, max, s -> {
                s.seconds = 1200;
                s.workers = now -> 2;
            });
            FlowSimulation two = new FlowSimulation(1);
            Client first = two.client(supplier, max);
            Client second = two.client(supplier, max);
            two.run();
            double share = first.rate(60, 120) / (first.rate(60, 120) + second.rate(60, 120));
            double[] row = {
                steady.rate(30, 120),
                steady.others(99, 30, 120) * 1000,
                steady.inFlight(30, 120),
                burst.others(99, 40, 80) * 1000,
                burst.rate(85, 120),
                half.rate(40, 80),
                half.others(99, 40, 80) * 1000,
                minutes20.inFlight(240, 360),
                minutes20.inFlight(1100, 1200),
                share
            };
            table.add(String.format(
                    Locale.ROOT,
                    "| %s | %.0f, %.0f ms, %.0f | %.0f ms, %.0f | %.0f, %.0f ms | %.0f, %.0f | %.2f |",
                    name,
                    row[0],
                    row[1],
                    row[2],
                    row[3],
                    row[4],
                    row[5],
                    row[6],
                    row[7],
                    row[8],
                    row[9]));
        });
        table.forEach(System.out::println);
    }

    static FlowSimulation run(
            @Nullable DoubleFunction<LimitController> controllers, int maxRequests, Consumer<FlowSimulation> scenario) {
        FlowSimulation simulation = new FlowSimulation(1);
        scenario.accept(simulation);
        simulation.client(controllers, maxRequests);
        simulation.run();
        return simulation;
    }

    /** A limit of Netflix's concurrency-limits, in requests, with a sample for each window as its WindowedLimit gives. */
    private static final class Netflix implements LimitController {
        private final Limit limit;
        private double requestCost = 8192 + Gate.REQUEST_COST;

        Netflix(Limit limit) {
            this.limit = limit;
        }

        @Override
        public Decision first() {
            return new Decision(
                    limit.getLimit() * requestCost, TimeUnit.SECONDS.toNanos(1), 10, false, 0, "first limit");
        }

        @Override
        public Decision next(Window window, boolean mayDrain) {
            requestCost = window.answered() > 0 ? window.requestCost() : requestCost;
            limit.onSample(
                    0, Math.max(1, window.medianNanos()), (int) (window.peakCost() / requestCost), window.failed() > 0);
            return first();
        }
    }
}
