#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "trace/trace.h"

namespace slackline {

// The calls that make a communicator, by who has to make them together. MPI 4.0, chapters 7, 8, 11.

/// Who takes part in a call that makes a communicator.
enum class MadeBy : std::uint8_t {
  parent,   ///< all members of the communicator it is called on, of both groups if there are two
  members,  ///< the members of the communicator that is made, of both groups if there are two
};

struct CommunicatorMaker {
  Operation operation;
  MadeBy made_by;
};

/// All operations of OperationClass::comm_create. MPIX_Comm_agree makes none; its members meet as
/// if it did. MPI_Comm_spawn, MPI_Comm_accept and MPI_Comm_connect are collective over the calling
/// communicator; what they wait for on the other side belongs to another call there.
inline constexpr std::array kCommunicatorMakers{
    CommunicatorMaker{Operation::comm_dup, MadeBy::parent},
    CommunicatorMaker{Operation::comm_dup_with_info, MadeBy::parent},
    CommunicatorMaker{Operation::comm_idup, MadeBy::parent},
    CommunicatorMaker{Operation::comm_idup_with_info, MadeBy::parent},
    CommunicatorMaker{Operation::comm_split, MadeBy::parent},
    CommunicatorMaker{Operation::comm_split_type, MadeBy::parent},
    CommunicatorMaker{Operation::comm_create, MadeBy::parent},
    CommunicatorMaker{Operation::comm_create_group, MadeBy::members},
    CommunicatorMaker{Operation::comm_create_from_group, MadeBy::members},
    CommunicatorMaker{Operation::intercomm_create, MadeBy::members},
    CommunicatorMaker{Operation::intercomm_create_from_groups, MadeBy::members},
    CommunicatorMaker{Operation::intercomm_merge, MadeBy::parent},
    CommunicatorMaker{Operation::cart_create, MadeBy::parent},
    CommunicatorMaker{Operation::cart_sub, MadeBy::parent},
    CommunicatorMaker{Operation::graph_create, MadeBy::parent},
    CommunicatorMaker{Operation::dist_graph_create, MadeBy::parent},
    CommunicatorMaker{Operation::dist_graph_create_adjacent, MadeBy::parent},
    CommunicatorMaker{Operation::comm_spawn, MadeBy::parent},
    CommunicatorMaker{Operation::comm_spawn_multiple, MadeBy::parent},
    CommunicatorMaker{Operation::comm_accept, MadeBy::parent},
    CommunicatorMaker{Operation::comm_connect, MadeBy::parent},
    CommunicatorMaker{Operation::comm_join, MadeBy::members},
    CommunicatorMaker{Operation::comm_shrink, MadeBy::parent},
    CommunicatorMaker{Operation::comm_ishrink, MadeBy::parent},
    CommunicatorMaker{Operation::comm_agree, MadeBy::parent},
    CommunicatorMaker{Operation::comm_iagree, MadeBy::parent}};

constexpr bool is_made_by_members(Operation operation) {
  return std::ranges::any_of(kCommunicatorMakers, [operation](const CommunicatorMaker& maker) {
    return maker.operation == operation && maker.made_by == MadeBy::members;
  });
}

/// The communicator that a call makes for its rank; kCommNull if none, or if it is not known.
inline std::uint32_t made_communicator(const Call& call) {
  if (operation_class(call.operation) != OperationClass::comm_create) return kCommNull;
  const bool made = call.args.size() == 1 && call.args[0] >= 0 && call.args[0] < kCommNull;
  return made ? static_cast<std::uint32_t>(call.args[0]) : kCommNull;
}

/// The communicator all of whose members make a collective call (or one that makes a communicator)
/// together: the one it is called on, or the one that it makes. kCommNull: the rank takes part in
/// nothing, or it is not known in what.
inline std::uint32_t collective_comm(const Call& call) {
  if (operation_class(call.operation) != OperationClass::comm_create) return call.comm;
  return is_made_by_members(call.operation) ? made_communicator(call) : call.comm;
}

}  // namespace slackline
