package io.overdrive.bench.run;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Which processors the client and each node of a local cluster have for themselves. Immutable.
 *
 * @param client numbers of the client's processors
 * @param nodes of each node; nodes share processors if there are fewer of these than nodes
 */
record ProcessorShares(List<Integer> client, List<List<Integer>> nodes) {
    /** The share of the client, which needs less than the nodes that store its rows. */
    private static final int CLIENT_SHARE = 3;

    /** @param processors two or more, which are divided */
    static ProcessorShares of(List<Integer> processors, int nodes) {
        int left = processors.size() - Math.max(1, processors.size() / CLIENT_SHARE);
        int each = Math.max(1, left / nodes);
        int ofNodes = Math.min(left, nodes * each);
        return new ProcessorShares(
                processors.subList(ofNodes, processors.size()),
                IntStream.range(0, nodes)
                        .map(node -> node * each % ofNodes)
                        .mapToObj(from -> processors.subList(from, from + each))
                        .toList());
    }

    /** Parses the form in which Linux lists processors: {@code 0-2,5}. */
    static List<Integer> parse(String list) {
        List<Integer> processors = new ArrayList<>();
        for (String range : list.strip().split(",")) {
            String[] bounds = range.split("-", 2);
            int last = Integer.parseInt(bounds[bounds.length - 1]);
            IntStream.rangeClosed(Integer.parseInt(bounds[0]), last).forEach(processors::add);
        }
        return processors;
    }

    /** The same form, without ranges. */
    static String list(List<Integer> processors) {
        return processors.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** The division as a part of a sentence. */
    @Override
    public String toString() {
        List<Integer> ofNodes = nodes.stream().flatMap(List::stream).distinct().toList();
        String words = ofNodes.size() < nodes.size()
                ? "processors " + list(ofNodes) + " for all nodes together"
                : "processors "
                        + nodes.stream().map(ProcessorShares::list).collect(Collectors.joining(" and "))
                        + (nodes.size() == 1 ? " for the node" : " for a node each");
        return words + ", " + list(client) + " for the client";
    }
}
