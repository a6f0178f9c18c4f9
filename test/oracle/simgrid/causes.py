"""The smallest program for each cause of a difference that random programs have found."""


def on_cluster(ranks, options, lines, attributes='lat="50us"', hosts=None):
    """`lines`: what each rank does between init and finalize; `hosts`: their numbers by rank."""
    numbers = hosts or range(ranks)
    return {
        "platform": ('<?xml version=\'1.0\'?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
                     '<platform version="4.1">\n<zone id="w" routing="Full"><cluster id="c" prefix="n" suffix="" '
                     f'radical="0-{max(numbers)}" speed="1Gf" bw="125MBps" {attributes}/></zone></platform>\n'),
        "hosts": [f"n{number}" for number in numbers],
        "options": options,
        "lines": [["init", *lines, "finalize"]] * ranks,
    }


CAUSES = {
    "a rank that gets nothing in a round of halving gives nothing":
        on_cluster(4, ["smpi/reduce_scatter:ompi_basic_recursivehalving"], ["reducescatter 0 0 7 1 0 6"]),
    "halves of a vector that is no power of two forget what is left over":
        on_cluster(8, ["smpi/allreduce:smp_rsag_rab"], ["allreduce 1003 0 6"]),
    "the blocks of a ring are all the last one when a vector has fewer elements than there are ranks":
        on_cluster(5, ["smpi/allreduce:smp_rsag_lr"], ["allreduce 3 0 6"]),
    "messages that nobody receives take their part of the links":
        on_cluster(2, ["smpi/bcast:SMP_linear", "smpi/async-small-thresh:4096"], ["bcast 240 0 6", "barrier"]),
    "a broadcast takes what the last one left for its own":
        on_cluster(8, ["smpi/bcast:impi"], ["bcast 16 0 6", "bcast 4000 0 6", "barrier"]),
    "the ranks of a node find out about nodes, too":
        on_cluster(2, ["smpi/coll-selector:mvapich2"], ["allreduce 16 0 6"] * 2, hosts=[0, 0]),
}
