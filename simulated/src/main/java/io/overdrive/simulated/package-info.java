/**
 * A cluster that is only simulated: nodes on addresses of the loopback interface that answer as Cassandra does, in one process. Rows are
 * computed from their tokens; what is written is acknowledged and counted, and not kept.
 *
 * <p>{@link io.overdrive.simulated.SimulatedCluster#start} is the way in; {@link io.overdrive.simulated.SimulatedNode} has the switches for
 * what may happen to a node.
 *
 * <p>Follow a request downwards: {@code Framing} cuts it out of the bytes, {@code Connection} decides whether and when it is answered, {@code
 * Answers} runs it, with what {@code CqlParser} has understood of its text, and {@code SystemTables} or {@code TableReads} have its rows.
 */
@NullMarked
package io.overdrive.simulated;

import org.jspecify.annotations.NullMarked;
