"""Traces in their text form for replay_test.py."""

SIZE = 4
EVEN_ODD = {2: [0, 2], 3: [3, 1]}  # communicators by number
REDUCTIONS = ("reduce root=0", "allreduce", "scan", "exscan", "reduce_scatter_block")


class Program:
    """Calls of each rank, a microsecond each."""

    def __init__(self, ranks=SIZE):
        self.ranks = ranks
        self.lines = [[] for _ in range(ranks)]
        self.serials = [0] * ranks

    def call(self, rank, text):
        self.lines[rank].append(f"  compute 500\n  +1000 {text}\n")

    def all(self, text):
        """The same on all ranks, with {r}, {next}, {before} in it."""
        for rank in range(self.ranks):
            self.call(rank, text.format(r=rank, next=(rank + 1) % self.ranks,
                                        before=(rank - 1) % self.ranks))

    def request(self, rank):
        self.serials[rank] += 1
        return self.serials[rank]

    def start(self, text):
        """A call on all ranks that starts a request; their serials."""
        serials = [self.request(rank) for rank in range(self.ranks)]
        for rank, serial in enumerate(serials):
            self.call(rank, text.format(r=rank, next=(rank + 1) % self.ranks,
                                        before=(rank - 1) % self.ranks) + f" req={serial}")
        return serials

    def each(self, text, *requests):
        for rank in range(self.ranks):
            self.call(rank, text.format(*[r[rank] for r in requests],
                                        reqs=",".join(str(r[rank]) for r in requests)))

    def text(self, head=""):
        lines = f"slackline-trace 1 timed ranks={self.ranks}\n{head}"
        for rank, calls in enumerate(self.lines):
            lines += f"rank {rank}\n  +100000 init\n" + "".join(calls) + "  +5000 finalize\n"
        return lines


def point_to_point(p):
    receive = p.start("irecv from={before} tag=1 bytes=32")
    for operation in ("send", "bsend", "rsend"):
        p.all(f"{operation} to={{next}} tag=1 bytes=32")
    p.each("wait req={0}", receive)
    p.all("recv from={before} tag=1 bytes=32")
    p.all("recv from={before} tag=1 bytes=32 any_source any_tag")
    for rank in range(p.ranks):
        pair = ["ssend to={n} tag=2 bytes=100000", "recv from={b} tag=2 bytes=100000"]
        for text in pair if rank % 2 == 0 else pair[::-1]:
            p.call(rank, text.format(n=(rank + 1) % p.ranks, b=(rank - 1) % p.ranks))
    p.all("sendrecv to={next} tag=3 bytes=8 from={before} rtag=3 rbytes=8")
    p.all("sendrecv_replace to={next} tag=4 bytes=16 from={before} rtag=4 rbytes=16")
    p.all("send to=null tag=5 bytes=8")
    p.all("recv from=null tag=5 bytes=0")


def completions(p):
    def exchange(kind):
        receive = p.start("irecv from={before} tag=7 bytes=64")
        send = p.start(f"{kind} to={{next}} tag=7 bytes=64")
        return receive, send
    for kind in ("isend", "ibsend", "issend", "irsend"):
        p.each("waitall reqs={reqs}", *exchange(kind))
    for one in ("wait", "waitany", "testany", "test"):
        receive, send = exchange("isend")
        if one.startswith("test"):
            p.each(f"{one} failed polls=3 inside=500")
        p.each(f"{one} req={{0}}", receive)
        p.each(f"{one} req={{0}}", send)
    for several in ("waitsome", "testsome", "testall"):
        pair = exchange("isend")
        if several.startswith("test"):
            p.each(f"{several} failed polls=2 inside=300")
        p.each(f"{several} reqs={{reqs}}", *pair)
    p.all("test failed polls=4 inside=900")  # which no success follows
    p.all("barrier")
    p.all("waitall reqs=")
    lost = p.start("irecv from=any tag=any bytes=0 any_source any_tag cancelled")
    p.each("cancel req={0}", lost)
    p.each("wait req={0}", lost)
    send = p.start("isend to={next} tag=8 bytes=8")
    p.each("request_free req={0}", send)
    p.all("recv from={before} tag=8 bytes=8")
    p.all("request_get_status")


def persistent(p):
    p.start("recv_init from={before} tag=10 bytes=40")
    for kind in ("send_init", "bsend_init", "ssend_init", "rsend_init"):
        p.start(f"{kind} to={{next}} tag=10 bytes=40")
        for operation in ("startall", "start"):
            ins = [p.request(r) for r in range(p.ranks)]
            outs = [p.request(r) for r in range(p.ranks)]
            for rank in range(p.ranks):
                n, b = (rank + 1) % p.ranks, (rank - 1) % p.ranks
                groups = [f"{ins[rank]}:recv_init:{b}:10:40", f"{outs[rank]}:{kind}:{n}:10:40"]
                if operation == "startall":
                    p.call(rank, f"startall starts={','.join(groups)}")
                else:
                    for group in groups:
                        p.call(rank, f"start starts={group}")
            p.each("waitall reqs={reqs}", ins, outs)
        p.each("request_free req={0}", outs)  # by its last start
    p.each("request_free req={0}", ins)


def probes(p):
    for _ in range(5):
        p.all("bsend to={next} tag=20 bytes=24")
    p.all("probe from={before} tag=20 bytes=24")
    p.all("recv from={before} tag=20 bytes=24")
    p.all("iprobe from=any tag=20 bytes=0 any_source failed polls=3 inside=700")
    p.all("iprobe from={before} tag=20 bytes=24 any_source")
    p.all("recv from={before} tag=20 bytes=24")
    p.all("mprobe from={before} tag=20 bytes=24 any_source any_tag")
    p.all("mrecv from={before} tag=20 bytes=24")
    p.all("improbe from={before} tag=20 bytes=24")
    p.each("wait req={0}", p.start("imrecv from={before} tag=20 bytes=24"))
    p.all("recv from={before} tag=20 bytes=24")
    p.all("iprobe from={before} tag=21 bytes=0 failed polls=2 inside=200")
    p.all("barrier")


def sizes(p, value):
    return ",".join(str(value(r)) for r in range(p.ranks))


def collective(p, per_rank):
    """The collective and its nonblocking form."""
    for prefix in ("", "i"):
        serials = [p.request(r) for r in range(p.ranks)] if prefix else None
        for rank in range(p.ranks):
            text = prefix + per_rank(rank)
            p.call(rank, text + (f" req={serials[rank]}" if prefix else ""))
        if prefix:
            p.each("wait req={0}", serials)


def collectives(p):
    own = [8 * (r + 1) for r in range(p.ranks)]
    every = ",".join(map(str, own))
    for text in ("barrier", "bcast root=1 bytes=4096", "gather root=2 bytes=16 elem=8",
                 "scatter root=2 bytes=16 elem=8", "allgather bytes=24 elem=8",
                 "allgather bytes=24 elem=8 in_place", "alltoall bytes=32 elem=4"):
        collective(p, lambda r, text=text: text)
    for text in REDUCTIONS:
        for size, elem in ((64, 8), (12, 4), (10, 2), (5, 1), (48, 16), (36, 12)):
            collective(p, lambda r, t=text, s=size, e=elem: f"{t} bytes={s} elem={e}")
    collective(p, lambda r: "allreduce bytes=64 elem=8 in_place non_commutative")
    collective(p, lambda r: f"gatherv root=0 bytes={own[r]} elem=8" +
               (f" counts={every}" if r == 0 else ""))
    collective(p, lambda r: f"scatterv root=3 bytes={own[r]} elem=8" +
               (f" counts={every}" if r == 3 else ""))
    collective(p, lambda r: f"allgatherv bytes={own[r]} elem=8 counts={every}")
    collective(p, lambda r: f"reduce_scatter bytes={own[r]} elem=8 counts={every}")
    for kind in ("alltoallv", "alltoallw"):
        def exchange(r, kind=kind):
            send = ",".join(str(8 * (r + 2 * d)) for d in range(p.ranks))
            receive = ",".join(str(8 * (s + 2 * r)) for s in range(p.ranks))
            total = sum(8 * (r + 2 * d) for d in range(p.ranks))
            return f"{kind} bytes={total} elem=8 send={send} recv={receive}"
        collective(p, exchange)


def communicators(p):
    """By number: 2 and 3 even and odd ranks, 4 a copy, 5 both groups, 6 their union, 7 a ring, 8 some."""
    for rank in range(p.ranks):
        p.call(rank, f"comm_split new={2 + rank % 2}")
    p.all("comm_dup new=4")
    for rank in range(p.ranks):
        p.call(rank, f"intercomm_create comm={2 + rank % 2} new=5")
    p.all("intercomm_merge comm=5 new=6")
    p.all("dist_graph_create_adjacent new=7")
    for rank in range(p.ranks):
        p.call(rank, f"comm_create new={8 if rank in (3, 0) else 'null'}")
    for rank in (3, 0):
        p.call(rank, "comm_create_group new=9")
    p.all("cart_create new=10")
    for rank in range(p.ranks):
        p.call(rank, f"cart_sub comm=10 new={11 + rank // 2}")
    p.all("comm_split_type new=13")
    for rank in range(p.ranks):
        p.call(rank, f"comm_split new={'null' if rank == 1 else 14}")
    later = p.start("comm_idup new=15")
    p.each("wait req={0}", later)
    for rank in range(p.ranks):
        p.call(rank, f"allreduce bytes=8 elem=8 comm={2 + rank % 2}")
        p.call(rank, "barrier comm=5")
        partner = rank ^ 1
        p.call(rank, f"sendrecv to={partner} tag=1 bytes=8 from={partner} rtag=1 rbytes=8 comm=5")
        root = {0: "root", 2: "null"}.get(rank, 0)
        p.call(rank, f"bcast root={root} bytes=8 comm=5 intercomm")
        p.call(rank, "allreduce bytes=8 elem=8 comm=6")
        p.call(rank, f"barrier comm={11 + rank // 2}")
        p.call(rank, "barrier comm=10")
        p.call(rank, "barrier comm=13")
        p.call(rank, "barrier comm=15")
        p.call(rank, f"bcast root={rank} bytes=8 comm=self")
        if rank != 1:
            p.call(rank, "allreduce bytes=8 elem=8 comm=14")
        if rank in (0, 3):
            p.call(rank, "bcast root=3 bytes=64 comm=8")
            p.call(rank, "barrier comm=9")
    p.call(3, "send to=0 tag=9 bytes=8 comm=8")
    p.call(0, "recv from=3 tag=9 bytes=8 comm=8")


def neighbors(p):
    def around(r, out, inward):
        near = ((r - 1) % p.ranks, (r + 1) % p.ranks)
        return (" out=" + ",".join(f"{n}:{out(r, n)}" for n in near) +
                " in=" + ",".join(f"{n}:{inward(n, r)}" for n in near))
    for kind in ("neighbor_allgather", "neighbor_alltoall"):
        collective(p, lambda r, k=kind: f"{k} bytes=32 elem=8 comm=7" +
                            around(r, lambda a, b: 16, lambda a, b: 16))
    collective(p, lambda r: f"neighbor_allgatherv bytes={16 * (r + 1)} elem=8 comm=7" +
                        around(r, lambda a, b: 8 * (a + 1), lambda a, b: 8 * (a + 1)))
    for kind in ("neighbor_alltoallv", "neighbor_alltoallw"):
        def text(r, k=kind):
            size = lambda a, b: 8 * (a + 2 * b + 1)
            total = size(r, (r - 1) % p.ranks) + size(r, (r + 1) % p.ranks)
            return f"{k} bytes={total} elem=8 comm=7" + around(r, size, size)
        collective(p, text)


def window_epochs(p):
    """Every call at windows, on a communicator of all ranks in another order than the world's."""
    def at(text):
        p.all(text + " comm=4")
    at("win_create")
    at("win_fence")
    for kind in ("put", "get", "accumulate", "get_accumulate"):
        for size in (0, 7, 12, 100000):
            at(f"{kind} target={{next}} bytes={size}")
    at("put target=null bytes=8")
    at("win_fence")
    at("win_free")
    at("win_allocate")
    at("win_post args={before}")
    at("win_start args={next}")
    at("put target={next} bytes=24")
    at("win_complete")
    at("win_test failed")
    at("win_test failed")
    at("win_test")
    at("win_post args={before}")
    at("win_start args={next}")
    at("win_complete")
    at("win_test failed")
    p.all("unpack bytes=8")  # between the test that fails and the one that does not
    at("win_wait")
    at("win_free")
    at("win_create_dynamic")
    at("win_lock target=0")
    for size in (1, 2, 4, 8, 16):
        at(f"fetch_and_op target=0 bytes={size}")
        if size < 16:
            at(f"compare_and_swap target=0 bytes={size}")
    at("win_flush target=0")
    at("win_flush_local target=0")
    at("win_unlock target=0")
    at("win_lock target={next} tag=1")
    at("get target={next} bytes=3000")
    at("win_flush_all")
    at("win_unlock target={next}")
    at("win_free")
    at("win_allocate_shared")
    at("win_lock_all")
    for kind in ("rput", "rget", "raccumulate", "rget_accumulate"):
        p.each("wait req={0}", p.start(f"{kind} target={{next}} bytes=40 comm=4"))
    at("win_flush_local_all")
    at("win_sync")
    at("win_unlock_all")
    at("win_free")


def files(p):
    for kind in ("file_open", "file_set_view", "file_set_size", "file_preallocate"):
        p.all(f"{kind} comm=4")
    for kind in ("read", "write"):
        for form in ("", "_all", "_at", "_at_all", "_shared", "_ordered"):
            p.all(f"file_{kind}{form} bytes=4000 comm=4")
    for kind in ("file_seek_shared", "file_sync", "file_close"):
        p.all(f"{kind} comm=4")


def all_kinds():
    """A program of four ranks with every operation that is replayed."""
    p = Program()
    point_to_point(p)
    completions(p)
    persistent(p)
    probes(p)
    collectives(p)
    communicators(p)
    neighbors(p)
    window_epochs(p)
    files(p)
    for comm in (4, 5, 6):
        p.all(f"comm_free comm={comm}")
    p.all("pack bytes=80")
    p.all("unpack bytes=80")
    p.all("pcontrol level=1")
    members = {2: "0,2", 3: "1,3", 4: "0..3", 6: "0,2,1,3", 7: "0..3", 8: "3,0", 9: "0,3",
               10: "0..3", 11: "0,1", 12: "2,3", 13: "0..3", 14: "3,2,0", 15: "0..3"}
    head = "".join(f"comm {c} members={members[c]}\n" if c != 5 else
                   "comm 5 members=0,2 remote=1,3\n" for c in range(2, 16))
    return p.text(head)


def worker_farm(ranks, tasks):
    """Rank 0 hands out tasks to whoever asks."""
    p = Program(ranks)
    for task in range(tasks):
        worker = 1 + (task * 7 + task // 3) % (ranks - 1)
        p.call(worker, "send to=0 tag=1 bytes=16")
        p.call(0, f"recv from={worker} tag=1 bytes=16 any_source")
        p.call(0, f"send to={worker} tag=2 bytes=64")
        p.call(worker, "recv from=0 tag=2 bytes=64")
    return p.text()


def wildcards(ranks):
    """A receive from anyone before one from a certain rank, which it must not rob."""
    p = Program(ranks)
    for sender in range(1, ranks):
        p.call(sender, f"send to=0 tag=3 bytes={8 * sender}")
    for sender in range(ranks - 1, 1, -1):
        p.call(0, f"recv from={sender} tag=3 bytes={8 * sender} any_source any_tag")
    p.call(0, "recv from=1 tag=3 bytes=8")
    return p.text()
