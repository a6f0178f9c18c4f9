#include "formats/paraver/communicators.h"

#include "formats/paraver/fields.h"

namespace slackline::paraver {

bool Communicators::add(std::string_view line, const Header& header) {
  Fields fields(line);
  std::int64_t application = 0;
  std::int64_t id = 0;
  std::int64_t size = 0;
  if (!fields.next(application) || !fields.next(id) || !fields.next(size)) return false;
  std::vector<std::int32_t> members;
  for (std::int64_t task = 0; fields.next(task);) {
    const std::int32_t rank = header.rank_of(application, task);
    if (rank < 0) return false;
    members.push_back(rank);
  }
  if (members.empty() || static_cast<std::int64_t>(members.size()) != size) return false;
  ids_[{application, id}] = identify(std::move(members));
  return true;
}

// The first that holds all ranks in order is MPI_COMM_WORLD; the first of each single rank together
// are MPI_COMM_SELF. Later ones of the same members are duplicates, and communicators of their own.
std::uint32_t Communicators::identify(std::vector<std::int32_t> members) {
  if (!world_seen_ && members == trace_.communicators()[kCommWorld].members) {
    world_seen_ = true;
    return kCommWorld;
  }
  if (members.size() == 1) {
    const auto rank = static_cast<std::size_t>(members.front());
    if (!self_seen_[rank]) {
      self_seen_[rank] = true;
      return kCommSelf;
    }
  }
  return trace_.add_communicator({std::move(members), {}, {}});
}

std::uint32_t Communicators::find(std::int64_t application, std::int64_t id) {
  const std::uint32_t* found = ids_.find({application, id});
  return found == nullptr ? kCommNull : *found;
}

}  // namespace slackline::paraver
