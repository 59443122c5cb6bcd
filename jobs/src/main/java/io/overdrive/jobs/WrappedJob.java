package io.overdrive.jobs;

import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.names.MessageText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job that does the work of another one, to which a subclass adds something. Thread-safe as {@link Job} says.
 *
 * @param <S> the type of its summary
 */
public abstract class WrappedJob<S extends Summary> implements Job<S> {
    private final Job<S> job;

    /** @param job is closed with this one */
    protected WrappedJob(Job<S> job) {
        this.job = job;
    }

    @Override
    public S run() {
        return job.run();
    }

    @Override
    public S progress() {
        return job.progress();
    }

    @Override
    public boolean stop() {
        return job.stop();
    }

    @Override
    public JobTimes times() {
        return job.times();
    }

    @Override
    public Plan plan() {
        return job.plan();
    }

    @Override
    public String effectOfStop() {
        return job.effectOfStop();
    }

    @Override
    public List<String> warnings() {
        return job.warnings();
    }

    @Override
    public @Nullable String runId() {
        return job.runId();
    }

    @Override
    public MessageText resumed() {
        return job.resumed();
    }

    @Override
    public void close() {
        job.close();
    }
}
