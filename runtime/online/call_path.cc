// Call paths as the recorder finds them: a walk over the stack for each call site and path to it, a
// few loads when the program comes by again. Their records go to the simulator, which names the
// functions.
#include "call_path.h"

#include <pthread.h>

#include <cstring>

#include "record/call_path_cache.h"

namespace {

using namespace slackline::record;

class SharedRecords final : public CallPathRecords {
 public:
  explicit SharedRecords(slk_online_rank& rank) : rank_(rank) {}

 private:
  bool write(const slk_record& record, const std::int64_t* args, std::size_t n_args) override {
    constexpr std::size_t kHead = sizeof record / sizeof *args;
    if (SLK_ONLINE_CODE - rank_.code_words < kHead + n_args) return false;
    std::int64_t* const at = rank_.code + rank_.code_words;
    std::memcpy(at, &record, sizeof record);
    const auto n = static_cast<std::uint32_t>(n_args);
    reinterpret_cast<slk_record*>(at)->n_args = n;
    if (n_args > 0) std::memcpy(at + kHead, args, n_args * sizeof *args);
    rank_.code_words += kHead + n_args;
    return true;
  }

  slk_online_rank& rank_;
};

CallPathCache paths;
pthread_t walked;  // the thread whose paths these are
bool attached;

}  // namespace

uint32_t slackline_call_path(const void* frame, slk_online_rank* rank) {
  static const CallPathOptions options = call_path_options();
  if (!attached || pthread_equal(walked, pthread_self()) == 0) {
    paths.attach();
    walked = pthread_self();
    attached = true;
  }
  SharedRecords records(*rank);
  return paths.find(static_cast<const std::uint64_t*>(frame), options, records);
}
