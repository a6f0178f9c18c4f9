"""Random machines for SimGrid and the simulator: (platform file, names of the hosts)."""


def fat_tree(rng):
    levels = rng.choice([1, 2, 2, 2, 3])
    down = [rng.randint(2, 4) for _ in range(levels)]
    up = [1] + [rng.randint(1, 3) for _ in range(levels - 1)]
    cables = [rng.randint(1, 2) for _ in range(levels)]
    hosts = 1
    for d in down:
        hosts *= d
    if hosts > 36:
        return fat_tree(rng)
    words = ";".join([str(levels)] + [",".join(map(str, part)) for part in (down, up, cables)])
    return hosts, f'topology="FAT_TREE" topo_parameters="{words}"'


def torus(rng):
    sides = [rng.randint(1 if i else 2, 5) for i in range(rng.randint(1, 3))]
    hosts = 1
    for side in sides:
        hosts *= side
    if hosts > 36 or hosts < 2:
        return torus(rng)
    return hosts, f'topology="TORUS" topo_parameters="{",".join(map(str, sides))}"'


def dragonfly(rng):
    groups, chassis = rng.randint(2, 3), rng.randint(1, 2)
    blades = rng.randint(groups, 3)
    nodes = rng.randint(1, 2)
    cables = [rng.randint(1, 3) for _ in range(3)]
    words = f"{groups},{cables[0]};{chassis},{cables[1]};{blades},{cables[2]};{nodes}"
    return groups * chassis * blades * nodes, f'topology="DRAGONFLY" topo_parameters="{words}"'


def attributes(rng, topology):
    """What any cluster can have."""
    words = [f'bw="{rng.choice([100, 125, 1000])}MBps" lat="{rng.choice([1, 10, 20, 50])}us"',
             f'speed="{rng.choice([1, 2, 0.7])}Gf" core="{rng.choice([1, 1, 2, 4])}"']
    policy = rng.choice(["", "", "SHARED", "SPLITDUPLEX", "FATPIPE" if topology == "flat" else ""])
    if policy:
        words.append(f'sharing_policy="{policy}"')
    if rng.random() < 0.3:
        words.append(f'limiter_link="{rng.choice([60, 150, 187.5, 1500])}MBps"')
    if topology == "torus" or rng.random() < 0.3:
        words.append(f'loopback_bw="{rng.choice([0.5, 1, 5])}GBps" loopback_lat="{rng.choice([0.5, 1])}us"')
    if topology == "flat" and rng.random() < 0.4:
        words.append(f'bb_bw="{rng.choice([90, 200, 1250])}MBps" bb_lat="{rng.choice([0, 1, 10])}us"')
        if rng.random() < 0.4:
            words.append('bb_sharing_policy="FATPIPE"')
    return " ".join(words)


def cluster(rng, name, kinds, fewest=2, most=12):
    kind = rng.choice(kinds)
    if kind == "flat":
        hosts, shape = rng.randint(fewest, most), ""
    else:
        hosts, shape = {"tree": fat_tree, "torus": torus, "dragonfly": dragonfly}[kind](rng)
    xml = (f'<cluster id="{name}" prefix="{name}-" suffix=".x" radical="0-{hosts - 1}" '
           f'router_id="{name}-router" {attributes(rng, kind)} {shape}/>')
    return xml, [f"{name}-{i}.x" for i in range(hosts)]


def one_cluster(rng):
    xml, hosts = cluster(rng, "c", ["flat", "flat", "tree", "torus", "dragonfly"])
    return f'<zone id="world" routing="Full">\n{xml}\n</zone>', hosts


def link(rng, name):
    policy = rng.choice(["SHARED", "SHARED", "SPLITDUPLEX", "FATPIPE"])
    xml = (f'<link id="{name}" bandwidth="{rng.choice([80, 125, 300, 1000])}MBps" '
           f'latency="{rng.choice([1, 5, 20, 100])}us" sharing_policy="{policy}"/>')
    return xml, policy == "SPLITDUPLEX"


def step(name, duplex, up=True):
    direction = f' direction="{"UP" if up else "DOWN"}"' if duplex else ""
    return f'<link_ctn id="{name}"{direction}/>'


def two_clusters(rng):
    parts, hosts = [], []
    for name in ("a", "b"):
        xml, names = cluster(rng, name, ["flat"], 2, 6)
        parts.append(xml)
        hosts += names
    count = rng.randint(1, 2)
    links = [link(rng, f"l{i}") for i in range(count)]
    steps = "".join(step(f"l{i}", duplex) for i, (_, duplex) in enumerate(links))
    route = (f'<zoneRoute src="a" dst="b" gw_src="a-router" gw_dst="b-router">{steps}</zoneRoute>')
    inner = "\n".join(parts + [xml for xml, _ in links] + [route])
    return f'<zone id="world" routing="Full">\n{inner}\n</zone>', hosts


def host(rng, name):
    return f'<host id="{name}" speed="{rng.choice([0.5, 1, 2])}Gf" core="{rng.choice([1, 2])}"/>'


def full_zone(rng):
    """Hosts with a link each and one in the middle."""
    names = [f"h{i}" for i in range(rng.randint(2, 7))]
    links = {name: link(rng, f"l-{name}") for name in names + ["middle"]}
    lines = [host(rng, n) for n in names] + [xml for xml, _ in links.values()]
    for i, one in enumerate(names):
        for other in names[i + 1:]:
            middle = step("l-middle", links["middle"][1]) if rng.random() < 0.6 else ""
            lines.append(f'<route src="{one}" dst="{other}">{step("l-" + one, links[one][1])}{middle}'
                         f'{step("l-" + other, links[other][1], False)}</route>')
    return '<zone id="world" routing="Full">\n' + "\n".join(lines) + "\n</zone>", names


def searched_zone(rng):
    """A tree of hosts and routers: one path between any two."""
    routing = rng.choice(["Floyd", "Dijkstra", "DijkstraCache"])
    names = [f"h{i}" for i in range(rng.randint(2, 7))]
    routers = [f"r{i}" for i in range(rng.randint(1, 3))]
    lines = [host(rng, n) for n in names] + [f'<router id="{r}"/>' for r in routers]
    edges = [(routers[rng.randrange(i)], routers[i]) for i in range(1, len(routers))]
    edges += [(n, rng.choice(routers)) for n in names]
    links = [link(rng, f"e{i}") for i in range(len(edges))]
    lines += [xml for xml, _ in links]
    for i, (one, other) in enumerate(edges):
        lines.append(f'<route src="{one}" dst="{other}">{step(f"e{i}", links[i][1])}</route>')
    return f'<zone id="world" routing="{routing}">\n' + "\n".join(lines) + "\n</zone>", names


def cabinets(rng):
    """A cluster written out: cabinets or hosts with their links, and perhaps a backbone."""
    lines, names = [], []
    for i in range(rng.randint(1, 2)):
        count = rng.randint(2, 4)
        lines.append(f'<cabinet id="cab{i}" prefix="n{i}-" suffix="" radical="0-{count - 1}" '
                     f'speed="1Gf" bw="125MBps" lat="{rng.choice([5, 50])}us"/>')
        names += [f"n{i}-{j}" for j in range(count)]
    if rng.random() < 0.6:
        lines.append(f'<backbone id="bb" bandwidth="{rng.choice([90, 1000])}MBps" latency="10us"/>')
    return '<zone id="world" routing="Cluster">\n' + "\n".join(lines) + "\n</zone>", names


MACHINES = [one_cluster, one_cluster, one_cluster, one_cluster, two_clusters, full_zone,
            searched_zone, cabinets]


def machine(rng):
    zone, hosts = rng.choice(MACHINES)(rng)
    return ('<?xml version=\'1.0\'?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
            f'<platform version="4.1">\n{zone}\n</platform>\n'), hosts


def ranks_on(rng, hosts):
    """The lines of a hostfile."""
    chosen = rng.sample(hosts, rng.randint(2, len(hosts)))
    per_host = rng.choice([1, 1, 1, 2, 3]) if len(chosen) <= 12 else 1
    names = [name for name in chosen for _ in range(per_host)]
    if rng.random() < 0.5:
        rng.shuffle(names)
    return names
