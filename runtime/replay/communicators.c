#include "replay.h"

static MPI_Group group_of(const int* ranks, uint32_t n) {
  MPI_Group world;
  MPI_Group group;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_incl(world, (int)n, ranks, &group);
  PMPI_Group_free(&world);
  return group;
}

/* An intracommunicator of these world ranks, made by them alone. */
static MPI_Comm intra(const int* ranks, uint32_t n, int tag) {
  MPI_Group group = group_of(ranks, n);
  MPI_Comm comm;
  PMPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &comm);
  PMPI_Group_free(&group);
  return comm;
}

static void add_topology(const struct topology* t, MPI_Comm* comm) {
  MPI_Comm with;
  PMPI_Dist_graph_create_adjacent(*comm, (int)t->n_in, t->in, MPI_UNWEIGHTED, (int)t->n_out, t->out,
                                  MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &with);
  PMPI_Comm_free(comm);
  *comm = with;
}

/* A recorder tells communicators of the same members apart by the order in which it meets them,
 * which has to be the same on all ranks: it meets this one here. */
static void show(const struct replay* r, MPI_Comm comm) {
  int position = 0;
  MPI_Pack(r->send, 0, MPI_BYTE, r->receive, 0, &position, comm);
}

/* What no call of the program makes, in the same order on all ranks, so that none waits forever. */
void make_comms(struct replay* r) {
  for (uint32_t i = 2; i < r->head.comms + 2; ++i) {
    const struct comm_plan* plan = &r->plans[i];
    if ((plan->flags & SLK_REPLAY_COMM_PREMADE) == 0) continue;
    r->comms[i] = intra(plan->own, plan->n_own, 1);
    if ((plan->flags & SLK_REPLAY_COMM_INTER) != 0) {
      MPI_Comm local = r->comms[i];
      PMPI_Intercomm_create(local, 0, MPI_COMM_WORLD, plan->other[0], 2, &r->comms[i]);
      PMPI_Comm_free(&local);
    } else if ((plan->flags & SLK_REPLAY_COMM_TOPOLOGY) != 0) {
      add_topology(&plan->topology, &r->comms[i]);
    }
    show(r, r->comms[i]);
  }
}

static int color_of(const struct shape* s) {
  return s->tag < 0 ? MPI_UNDEFINED : s->tag;
}

/* Cartesian and graph topologies are not in a trace, but who is whose neighbour may be
 * (s->request). Without that, the members are enough: s->bytes first ones of the parent, if not 0.
 */
static void make_with_topology(struct replay* r, const struct shape* s,
                               const struct comm_plan* plan, MPI_Comm* made) {
  const MPI_Comm parent = r->comms[s->comm];
  const int dimension = (int)s->bytes;
  const int period = 0;
  if (s->request == 0 && dimension > 0) {
    MPI_Cart_create(parent, 1, &dimension, &period, 0, made);
    return;
  }
  if (s->request == 0) {
    MPI_Comm_split(parent, color_of(s), s->peer, made);
    return;
  }
  MPI_Comm members;
  PMPI_Comm_split(parent, color_of(s), s->peer, &members);
  *made = MPI_COMM_NULL;
  if (plan == NULL) return;
  const struct topology* t = &plan->topology;
  MPI_Dist_graph_create_adjacent(members, (int)t->n_in, t->in, MPI_UNWEIGHTED, (int)t->n_out,
                                 t->out, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, made);
  PMPI_Comm_free(&members);
}

static void create(struct replay* r, const struct shape* s, const struct comm_plan* plan,
                   MPI_Comm* made) {
  MPI_Group group = plan != NULL ? group_of(plan->own, plan->n_own) : MPI_GROUP_EMPTY;
  if (s->op == SLK_OP_comm_create) {
    MPI_Comm_create(r->comms[s->comm], group, made);
  } else {
    MPI_Comm_create_group(s->op == SLK_OP_comm_create_group ? r->comms[s->comm] : MPI_COMM_WORLD,
                          group, s->tag, made);
  }
  if (plan != NULL) PMPI_Group_free(&group);
}

static void intercomm(struct replay* r, const struct shape* s, const struct comm_plan* plan,
                      MPI_Comm* made) {
  MPI_Comm local = MPI_COMM_NULL;
  const int from_groups = s->op == SLK_OP_intercomm_create_from_groups;
  if (from_groups) local = intra(plan->own, plan->n_own, s->tag);
  MPI_Intercomm_create(from_groups ? local : r->comms[s->comm], 0, MPI_COMM_WORLD, s->peer, s->tag,
                       made);
  if (from_groups) PMPI_Comm_free(&local);
}

static void make(struct replay* r, const struct shape* s, const struct comm_plan* plan,
                 MPI_Comm* made) {
  const MPI_Comm parent = r->comms[s->comm];
  switch (s->op) {
    case SLK_OP_comm_dup:
    case SLK_OP_comm_dup_with_info:
      MPI_Comm_dup(parent, made);
      return;
    case SLK_OP_comm_idup:
    case SLK_OP_comm_idup_with_info:
      MPI_Comm_idup(parent, made, &r->requests[s->request]);
      return;
    case SLK_OP_comm_split:
      MPI_Comm_split(parent, color_of(s), s->peer, made);
      return;
    case SLK_OP_comm_split_type:
      /* By hosts, if that gives what is wanted. */
      if (r->one_host && s->bytes == 1) {
        MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, s->peer, MPI_INFO_NULL, made);
      } else {
        MPI_Comm_split(parent, color_of(s), s->peer, made);
      }
      return;
    case SLK_OP_comm_create:
    case SLK_OP_comm_create_group:
    case SLK_OP_comm_create_from_group:
      create(r, s, plan, made);
      return;
    case SLK_OP_intercomm_create:
    case SLK_OP_intercomm_create_from_groups:
      intercomm(r, s, plan, made);
      return;
    case SLK_OP_intercomm_merge:
      MPI_Intercomm_merge(parent, (s->flags & SLK_REPLAY_HIGH) != 0, made);
      return;
    default:
      make_with_topology(r, s, plan, made);
  }
}

void make_comm(struct replay* r, const struct shape* s) {
  const uint32_t index = s->n_args > 0 ? (uint32_t)s->args[0] : SLK_REPLAY_NO_COMM;
  const int known = index > 2 && index < r->head.comms + 3;
  /* Not on the stack: a nonblocking duplication writes it later. */
  static MPI_Comm unknown;
  make(r, s, known ? &r->plans[index - 1] : NULL, known ? &r->comms[index - 1] : &unknown);
}

void free_comm(struct replay* r, const struct shape* s) {
  MPI_Comm* const comm = &r->comms[s->comm];
  if (s->comm < 2 || *comm == MPI_COMM_NULL) return;
  if (s->op == SLK_OP_comm_free) {
    MPI_Comm_free(comm);
  } else {
    MPI_Comm_disconnect(comm);
  }
}
