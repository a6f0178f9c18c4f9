"""What may be reckoned in more than one way, by name: as Scalasca 2.6 does and as Slackline does.

Everything not named here the two do alike. README.md says what each difference is worth.
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Rules:
    """Each is true of Slackline; what it says after "else" is true of Scalasca."""

    # Which time counts, and as what.
    whole_nanoseconds: bool
    """Times are cut to nanoseconds since the archive's zero; else they are the clock's ticks."""
    time_outside_regions: bool
    """Time in no region is computation; else it does not exist."""
    local_calls_are_computation: bool
    """MPI_Comm_rank and the like are no calls; else they are activities of their own."""
    collectives_end_when_left: bool
    """A collective call is over with the LEAVE of its region; else with its END record."""

    # Where ranks are in step, and from when on each is on its own again.
    same_point_of_both: bool
    """Two ranks are compared from one point on; else each from its own last one with the other,
    which are two where a collective was left before the last one came."""
    late_receiver_from_earlier_leaving: bool
    """After a late receiver both count from the earlier leaving of the two. Else the sender counts
    from the later leaving, even if that is after its own (then less than nothing of its call)."""
    rooted_collectives_join_all: bool
    """A rooted collective in which all members were at one moment is a point of all of them; else
    only of those who waited with those they waited for."""
    one_to_all_in_pairs: bool
    """Root and receiver count from the earlier leaving of the two. Else all of them do from the
    earliest leaving of any receiver that waited, whatever the root did."""
    partial_all_to_all_in_pairs: bool
    """When somebody left before the last one came, each that waited is in step with the last one
    alone; else all of these are with each other. (Barriers: else always all members.)"""
    every_collective_joins: bool
    """All members are in step, if all overlap, also in scans and in collectives that move nothing
    or make communicators; else only in those in which somebody can have waited for everybody."""
    from_first_leaving: bool
    """From when the first one leaves each is on its own, even if that is before the last one came
    (MPI_Init, or a collective that somebody left early); else from the last one's coming on."""
    from_common_moment: bool
    """Computation after that moment counts also right before the rank's own call (it had not come
    yet when the other one left); else counting begins with the call at the earliest."""
    touching_is_overlapping: bool
    """Calls of which one begins in the very moment in which the other one ends overlap."""

    # What is paid for, and how.
    rest_of_waiting_pays: bool
    """What a call still waited after the common moment (MPI_Sendrecv, which has been sent from
    already) is among the late rank's waits; else a point's own wait pays nothing."""
    empty_scans_do_not_wait: bool
    """Nobody waits in a scan of no bytes, as in other collectives; else it waits like others."""
    scans_have_costs: bool
    """Waiting in scans has delay costs, as all to all; else not, and it is no point either."""
    finalize_has_costs: bool
    """Waiting in MPI_Finalize has delay costs, as all to all."""
    creation_waits: bool
    """Making a communicator waits for the last rank, as all to all; else nobody waits in it."""
    barriers_are_all_to_all: bool
    """Costs of barriers belong to those of all to all; else they are a kind of their own."""
    collective_shares_limited: bool
    """What a delay pays of a wait in a collective is at most the delay, as with messages."""
    exact_increments: bool
    """Each of the late rank's own waits pays for those members that it was in step with before that
    wait. Else the shares of members come into effect one point too late, and of the last never."""
    collectives_make_propagating: bool
    """Waiting also propagates if it delayed others in a collective; else only through messages."""

    # Ties.
    last_by_world_rank: bool
    """Of several that come last, the one of the lowest rank in MPI_COMM_WORLD is waited for; else
    that of the lowest rank in the communicator."""


SCALASCA = Rules(**{field.name: False for field in dataclasses.fields(Rules)})
SLACKLINE = Rules(**{field.name: True for field in dataclasses.fields(Rules)})

# Kinds of delay costs by the pattern of the waiting.
KINDS = {
    "late_sender": "late_sender",
    "late_receiver": "late_receiver",
    "wait_at_nxn": "all_to_all",
    "late_broadcast": "one_to_all",
    "early_reduce": "all_to_one",
}


def kind_of(pattern, rules):
    """None: nobody pays for it."""
    if pattern == "wait_at_barrier":
        return "all_to_all" if rules.barriers_are_all_to_all else "barrier"
    if pattern == "early_scan":
        return "all_to_all" if rules.scans_have_costs else None
    if pattern == "wait_at_creation":
        return "all_to_all"
    if pattern == "wait_at_finalize":
        return "all_to_all" if rules.finalize_has_costs else None
    return KINDS[pattern]
