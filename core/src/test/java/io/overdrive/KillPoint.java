package io.overdrive;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import com.sun.jdi.connect.ListeningConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequestManager;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * A place in a Java program where it is killed: when one of its threads enters this method for the nth time. A debugger finds the place,
 * so the program has no code for it, and SIGKILL ends it while all of its threads stand still. Immutable.
 *
 * @param type name of the class
 * @param method of which the class has one
 * @param time from 1
 */
public record KillPoint(String type, String method, int time) {
    private static final String TIMEOUT_MILLIS = "120000";

    /** Where the method is entered for the first time. */
    public KillPoint(String type, String method) {
        this(type, method, 1);
    }

    /** Starts a program, and kills it here; returns false if it has ended before. */
    public boolean kills(ProcessBuilder program) throws IOException, InterruptedException {
        return kills(program, () -> true);
    }

    /**
     * As {@link #kills(ProcessBuilder)}.
     *
     * @param program whose command begins with that of Java
     * @param condition asked while the program stands still: whether this is the time, or a later one is
     */
    public boolean kills(ProcessBuilder program, BooleanSupplier condition) throws IOException, InterruptedException {
        ListeningConnector connector = Bootstrap.virtualMachineManager().listeningConnectors().stream()
                .filter(each -> each.transport().name().equals("dt_socket"))
                .findFirst()
                .orElseThrow();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        argument(arguments, "localAddress").setValue("127.0.0.1");
        argument(arguments, "timeout").setValue(TIMEOUT_MILLIS);
        try {
            String address = connector.startListening(arguments);
            List<String> command = new ArrayList<>(program.command());
            command.add(1, "-agentlib:jdwp=transport=dt_socket,suspend=y,address=" + address);
            Process process = program.command(command).start();
            try {
                VirtualMachine machine = connector.accept(arguments);
                if (reaches(machine, condition)) {
                    return true;
                }
                process.waitFor();
                return false;
            } finally {
                connector.stopListening(arguments);
                process.destroyForcibly().waitFor();
            }
        } catch (IllegalConnectorArgumentsException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Connector.Argument argument(Map<String, Connector.Argument> arguments, String name) {
        return Objects.requireNonNull(arguments.get(name));
    }

    private boolean reaches(VirtualMachine machine, BooleanSupplier condition) throws InterruptedException {
        EventRequestManager requests = machine.eventRequestManager();
        ClassPrepareRequest loaded = requests.createClassPrepareRequest();
        loaded.addClassFilter(type);
        loaded.enable();
        int times = 0;
        try {
            while (true) {
                EventSet events = machine.eventQueue().remove();
                for (Event event : events) {
                    if (event instanceof ClassPrepareEvent prepared) {
                        stopIn(requests, prepared.referenceType());
                    } else if (event instanceof BreakpointEvent && ++times >= time && condition.getAsBoolean()) {
                        return true;
                    }
                }
                events.resume();
            }
        } catch (VMDisconnectedException e) {
            return false;
        }
    }

    private void stopIn(EventRequestManager requests, ReferenceType prepared) {
        List<Method> methods = prepared.methodsByName(method);
        if (methods.size() != 1) {
            throw new IllegalStateException(type + " has " + methods.size() + " methods " + method + ", must be one");
        }
        requests.createBreakpointRequest(methods.get(0).location()).enable();
    }

    @Override
    public String toString() {
        return type.substring(type.lastIndexOf('.') + 1) + "." + method + (time == 1 ? "" : " " + time);
    }
}
