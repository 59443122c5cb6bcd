/**
 * Starts and stops real Cassandra nodes as child processes on this machine, for tests, experiments and a first try.
 *
 * <p>{@link io.overdrive.local.LocalCluster#start} is the way in. It does not depend on the rest of Overdrive, and the server's jars stay
 * off the caller's class path: Maven fetches them once, and every node is a separate JVM.
 *
 * <p>Follow a start downwards: {@code LocalCluster} decides what to start in a directory ({@code ClusterState}, {@code NodePlacement}),
 * {@code Server} provides what it is started from ({@code ServerJdk}, {@code ClassArchive}), {@code Startup} writes the files ({@code
 * NodeFiles}), launches the processes ({@code NodeProcess}) and waits for them ({@code CqlProbe}, {@code RingProbe}).
 */
@NullMarked
package io.overdrive.local;

import org.jspecify.annotations.NullMarked;
