package io.overdrive.simulated;

/**
 * Counts of requests to a node since it was started. Immutable.
 *
 * @param connections that are open now
 * @param prepares statements that it was asked to prepare
 * @param unprepared requests that it refused because it had not prepared their statement
 * @param requests of any kind on connections that were set up, without heartbeats
 * @param rowsWritten rows of INSERT, UPDATE and DELETE that it acknowledged, alone or in batches
 * @param batches that it acknowledged
 * @param rowsRead rows that it sent of tables of the user; a count is one
 */
public record SimulatedCounts(
        long connections,
        long prepares,
        long unprepared,
        long requests,
        long rowsWritten,
        long batches,
        long rowsRead) {

    static final SimulatedCounts NONE = new SimulatedCounts(0, 0, 0, 0, 0, 0, 0);

    SimulatedCounts and(SimulatedCounts other) {
        return new SimulatedCounts(
                connections + other.connections,
                prepares + other.prepares,
                unprepared + other.unprepared,
                requests + other.requests,
                rowsWritten + other.rowsWritten,
                batches + other.batches,
                rowsRead + other.rowsRead);
    }
}
