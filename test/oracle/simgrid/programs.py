"""Random time-independent traces and SimGrid options for them."""

# Sizes around thresholds of the defaults and of the options below.
SIZES = [1, 2, 15, 100, 240, 241, 257, 716, 717, 1000, 1410, 1419, 1420, 3000, 4095, 4096, 5760, 6000,
         9360, 15408, 15424, 20000, 32768, 39999, 40000, 65456, 65457, 65535, 65536, 70000, 300000]
SMALL = [1, 8, 100, 512, 2048, 8192, 20000, 40000, 70000]
BYTES = {6: 1, 1: 4, 0: 8}

MODELS = [[], [], ["network/model:LV08"], ["network/model:CM02"], ["network/weight-S:0"],
          ["network/crosstraffic:0"], ["network/TCP-gamma:60000"],
          ["network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0"],
          ["smpi/lat-factor:0:1", "smpi/bw-factor:0:0.9"],
          ["smpi/bw-factor:1000:0.5;100000:0.9", "smpi/lat-factor:1000:3;100000:2"]]
# The first segment is free: SimGrid 3 charges it for messages without payload, SimGrid 4 does not.
OVERHEADS = [[], [],
             ["smpi/os:0:0:0;1:8.9e-06:7.8e-10;1420:1.39e-05:2.98e-10;32768:1.54e-05:2.44e-10",
              "smpi/ois:0:0:0;1:8.6e-06:7.4e-10;1420:1.4e-05:3.4e-10;32768:1.55e-05:2.6e-10",
              "smpi/or:0:0:0;1:8.14e-06:8.39e-10;1420:1.27e-05:9.09e-10;32768:3.09e-05:6.95e-10"],
             ["smpi/or:0:0:0;1:5e-06"], ["smpi/os:0:0:0;1:1e-05", "smpi/ois:0:0:0;1:2e-06"]]
THRESHOLDS = [[], [], ["smpi/async-small-thresh:4096", "smpi/send-is-detached-thresh:40000"],
              ["smpi/send-is-detached-thresh:0"], ["smpi/async-small-thresh:65536"],
              ["smpi/async-small-thresh:1000", "smpi/send-is-detached-thresh:1000"]]

# SimGrid's names; what its replay cannot do crashes there and is not compared.
ALGORITHMS = {
    "allgather": "default 2dmesh 3dmesh bruck GB loosely_lr NTSLR NTSLR_NB pair rdb rhv ring SMP_NTS smp_simple "
                 "spreading_simple ompi ompi_neighborexchange mvapich2 mvapich2_smp mpich impi",
    "allgatherv": "default GB pair ring ompi ompi_neighborexchange ompi_bruck mpich mpich_rdb mpich_ring mvapich2 impi",
    "allreduce": "default lr rab1 rab2 rab_rdb rdb smp_binomial smp_binomial_pipeline smp_rdb smp_rsag smp_rsag_lr "
                 "smp_rsag_rab redbcast ompi ompi_ring_segmented mpich mvapich2 mvapich2_rs mvapich2_two_level impi rab",
    "alltoall": "default 2dmesh 3dmesh basic_linear bruck pair pair_light_barrier pair_mpi_barrier "
                "pair_one_barrier rdb ring ring_light_barrier ring_mpi_barrier ring_one_barrier ompi mpich mvapich2 "
                "mvapich2_scatter_dest impi",
    "alltoallv": "default bruck pair pair_light_barrier pair_mpi_barrier pair_one_barrier ring ring_light_barrier "
                 "ring_mpi_barrier ring_one_barrier ompi mpich ompi_basic_linear mvapich2 impi",
    "barrier": "default ompi ompi_basic_linear ompi_two_procs ompi_tree ompi_bruck ompi_recursivedoubling "
               "ompi_doublering mpich_smp mpich mvapich2_pair mvapich2 impi",
    "bcast": "default arrival_pattern_aware arrival_pattern_aware_wait arrival_scatter binomial_tree flattree "
             "flattree_pipeline NTSB NTSL NTSL_Isend scatter_LR_allgather scatter_rdb_allgather SMP_binary SMP_binomial "
             "SMP_linear ompi ompi_split_bintree ompi_pipeline mpich mvapich2 mvapich2_inter_node mvapich2_intra_node "
             "mvapich2_knomial_intra_node impi",
    "gather": "default ompi ompi_basic_linear ompi_binomial ompi_linear_sync mpich mvapich2 mvapich2_two_level impi",
    "reduce": "default arrival_pattern_aware binomial flat_tree NTSL scatter_gather ompi ompi_chain ompi_pipeline "
              "ompi_basic_linear ompi_in_order_binary ompi_binary ompi_binomial mpich mvapich2 mvapich2_knomial "
              "mvapich2_two_level impi rab",
    "reduce_scatter": "default ompi ompi_basic_recursivehalving ompi_ring ompi_butterfly mpich mpich_pair mpich_rdb "
                      "mpich_noncomm mvapich2 impi",
    "scatter": "default ompi ompi_basic_linear ompi_binomial ompi_linear_nb mpich mvapich2 mvapich2_two_level_binomial "
               "mvapich2_two_level_direct impi",
}
SELECTORS = ["default", "default", "ompi", "ompi", "mpich", "mvapich2", "impi"]
COLLECTIVES = ["bcast", "reduce", "allreduce", "barrier", "alltoall", "alltoallv", "allgather", "allgatherv",
               "gather", "gatherv", "scatter", "scatterv", "reducescatter", "scan", "exscan"]


def options(rng, ranks):
    lines = rng.choice(MODELS) + rng.choice(OVERHEADS) + rng.choice(THRESHOLDS)
    if rng.random() < 0.3:
        lines = lines + ["network/optim:Full"]
    if rng.random() < 0.2:
        lines = lines + [f"network/loopback-bw:{rng.choice([498000000, 5e9])}", "network/loopback-lat:0.000004"]
    chance = rng.random()
    if chance < 0.35:
        lines = lines + [f"smpi/coll-selector:{rng.choice(SELECTORS)}"]
    elif chance < 0.8:
        for operation in rng.sample(sorted(ALGORITHMS), rng.randint(1, 5)):
            lines = lines + [f"smpi/{operation}:{algorithm(rng, operation, ranks)}"]
    return lines


def fits(operation, algorithm, ranks):
    """Does SimGrid's algorithm take this number of ranks? Those that do not just return, or crash."""
    if algorithm == "ompi_two_procs":
        return ranks == 2
    if operation == "alltoall":
        return True
    if algorithm == "2dmesh":
        return any(ranks % x == 0 for x in range(2, ranks // 2 + 1))
    if algorithm == "3dmesh":
        return any(ranks % (x * x) == 0 for x in range(2, ranks // 3 + 1))
    return True


def algorithm(rng, operation, ranks):
    return rng.choice([name for name in ALGORITHMS[operation].split() if fits(operation, name, ranks)])


def blocks(rng, ranks):
    if rng.random() < 0.5:
        return [rng.choice(SMALL)] * ranks
    return [rng.choice(SMALL) for _ in range(ranks)]


def of_each(counts):
    return " ".join(map(str, counts))


def collective(rng, ranks, operation):
    """One line a rank, without its number."""
    kind = rng.choice([6, 6, 6, 0, 1])
    count = max(1, rng.choice(SMALL if operation.startswith("all") else SIZES) // BYTES[kind])
    root = rng.randrange(ranks)
    flops = rng.choice([0, 0, 1000, 100000])
    if operation == "alltoallv":
        table = [blocks(rng, ranks) for _ in range(ranks)]
        if rng.random() < 0.6:
            table = [[table[0][0]] * ranks] * ranks
        lines = []
        for r in range(ranks):
            mine, theirs = table[r], [table[other][r] for other in range(ranks)]
            lines.append(f"alltoallv {sum(mine)} {of_each(mine)} {sum(theirs)} {of_each(theirs)} 6 6")
        return lines
    if operation in ("gatherv", "scatterv", "allgatherv", "reducescatter"):
        counts = blocks(rng, ranks)
        places = [sum(counts[:r]) for r in range(ranks)]
        return [{"gatherv": f"gatherv {counts[r]} {of_each(counts)} {root} 6 6",
                 "scatterv": f"scatterv {of_each(counts)} {counts[r]} {root} 6 6",
                 "allgatherv": f"allgatherv {counts[r]} {of_each(counts)} 6 6 {of_each(places)}",
                 "reducescatter": f"reducescatter {of_each(counts)} {flops} 6"}[operation] for r in range(ranks)]
    line = {"bcast": f"bcast {count} {root} {kind}", "reduce": f"reduce {count} {flops} {root} {kind}",
            "allreduce": f"allreduce {count} {flops} {kind}", "barrier": "barrier",
            "alltoall": f"alltoall {count} {count} {kind} {kind}",
            "allgather": f"allgather {count} {count} {kind} {kind}",
            "gather": f"gather {count} {count} {root} {kind} {kind}",
            "scatter": f"scatter {count} {count} {root} {kind} {kind}",
            "scan": f"scan {count} {flops} {kind}", "exscan": f"exscan {count} {flops} {kind}"}[operation]
    return [line] * ranks


def compute(rng, lines):
    for r, line in enumerate(lines):
        line.append(f"{r} compute {rng.choice([0, 1000, rng.randint(0, 3000000)])}")


def neighbours(rng, lines, step, to):
    """Everybody sends to to[r]: receives and sends posted in any order, waited for in any way."""
    ranks = len(lines)
    sizes = [rng.choice(SIZES) for _ in range(ranks)]
    for r in range(ranks):
        source = to.index(r)
        post = [f"{r} isend {to[r]} {step} {sizes[r]}", f"{r} irecv {source} {step} {sizes[source]}"]
        rng.shuffle(post)
        lines[r] += post
        if rng.random() < 0.5:
            lines[r].append(f"{r} compute {rng.randint(0, 1000000)}")
        waits = [f"{r} wait {source} {r} {step}", f"{r} wait {r} {to[r]} {step}"]
        lines[r] += [f"{r} waitall"] if rng.random() < 0.6 else waits


def crowd(rng, lines, step):
    """Several messages between random ranks at once."""
    ranks = len(lines)
    posts = [[] for _ in range(ranks)]
    for i in range(rng.randint(1, 3 * ranks)):
        source, destination = rng.sample(range(ranks), 2)
        size = rng.choice(SIZES)
        posts[source].append(f"{source} isend {destination} {100 * step + i} {size}")
        posts[destination].append(f"{destination} irecv {source} {100 * step + i} {size}")
    for r in range(ranks):
        rng.shuffle(posts[r])
        lines[r] += posts[r] + ([f"{r} waitall"] if posts[r] else [])


def pairs(rng, lines, step):
    size = rng.choice(SIZES)
    verbs = rng.choice([("send", "recv"), ("recv", "send")])
    for r in range(len(lines) - len(lines) % 2):
        lines[r].append(f"{r} {verbs[r % 2]} {r ^ 1} {step} {size}")


def program(rng, ranks):
    """Lines of every rank; every receive has its send, posted before anybody waits for it."""
    lines = [[f"{r} init"] for r in range(ranks)]
    for step in range(rng.randint(2, 8)):
        kind = rng.choice(["compute", "shift", "permutation", "sendrecv", "pairs", "crowd", "sleep"]
                          + 5 * ["collective"])
        if kind == "compute":
            compute(rng, lines)
        elif kind == "sleep":
            for r in range(ranks):
                lines[r].append(f"{r} sleep {rng.choice([0.0001, 0.00025, 0.001])}")
        elif kind == "shift":
            by = rng.randint(1, ranks - 1)
            neighbours(rng, lines, step, [(r + by) % ranks for r in range(ranks)])
        elif kind == "permutation":
            to = list(range(ranks))
            rng.shuffle(to)
            neighbours(rng, lines, step, to)
        elif kind == "sendrecv":
            size = rng.choice(SIZES)
            for r in range(ranks):
                lines[r].append(f"{r} sendRecv {size} {(r + 1) % ranks} {size} {(r - 1) % ranks} 6 6")
        elif kind == "pairs":
            pairs(rng, lines, step)
        elif kind == "crowd":
            crowd(rng, lines, step)
        else:
            for r, line in enumerate(collective(rng, ranks, rng.choice(COLLECTIVES))):
                lines[r].append(f"{r} {line}")
    for r in range(ranks):
        lines[r].append(f"{r} finalize")
    return "".join(line + "\n" for rank in lines for line in rank)
