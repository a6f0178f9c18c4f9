#include "parallel/launched_process.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "parallel/process_interface.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFailed = -1;  // in the place of a number of bytes

class MpiProcesses : public ProcessGroup {
 public:
  explicit MpiProcesses(const slk_processes& processes)
      : processes_(processes),
        out_(static_cast<std::size_t>(processes.size)),
        in_(static_cast<std::size_t>(processes.size)) {}
  ~MpiProcesses() override { processes_.close(); }
  int rank() const override { return processes_.rank; }
  int size() const override { return processes_.size; }

 protected:
  std::optional<std::vector<Bytes>> attempt(std::vector<Bytes>* to_each) override {
    const auto count = static_cast<std::size_t>(size());
    for (std::size_t p = 0; p < count; ++p) {
      out_[p].bytes = kFailed;
      if (to_each == nullptr) continue;
      const Bytes& bytes = (*to_each)[p];
      out_[p].bytes = static_cast<std::int64_t>(bytes.size());
      std::copy_n(bytes.begin(), first_bytes(out_[p].bytes), first_of(out_[p]));
    }
    processes_.exchange_first(out_.data(), in_.data());
    in_[self()].bytes = out_[self()].bytes;
    if (to_each == nullptr ||
        std::ranges::find(in_, kFailed, &slk_process_message::bytes) != in_.end()) {
      return std::nullopt;
    }
    std::vector<Bytes> from_each(count);
    for (std::size_t p = 0; p < count; ++p) {
      if (p == self()) {
        from_each[p] = std::move((*to_each)[p]);
        continue;
      }
      from_each[p].resize(static_cast<std::size_t>(in_[p].bytes));
      std::copy_n(first_of(in_[p]), first_bytes(in_[p].bytes), from_each[p].begin());
    }
    exchange_rest(*to_each, from_each);
    return from_each;
  }

 private:
  static std::int64_t first_bytes(std::int64_t bytes) {
    return std::min<std::int64_t>(bytes, SLK_FIRST_BYTES);
  }
  static std::byte* first_of(slk_process_message& message) {
    return reinterpret_cast<std::byte*>(message.first);
  }
  std::size_t self() const { return static_cast<std::size_t>(rank()); }

  /// What is longer than the first bytes.
  void exchange_rest(const std::vector<Bytes>& to_each, std::vector<Bytes>& from_each) {
    const std::size_t count = to_each.size();
    std::vector<const void*> out(count);
    std::vector<void*> in(count);
    std::vector<std::int64_t> bytes_out(count);
    std::vector<std::int64_t> bytes_in(count);
    for (std::size_t p = 0; p < count; ++p) {
      if (p == self()) continue;
      bytes_out[p] = out_[p].bytes - first_bytes(out_[p].bytes);
      bytes_in[p] = in_[p].bytes - first_bytes(in_[p].bytes);
      if (bytes_out[p] > 0) out[p] = to_each[p].data() + SLK_FIRST_BYTES;
      if (bytes_in[p] > 0) in[p] = from_each[p].data() + SLK_FIRST_BYTES;
    }
    processes_.exchange_bytes(out.data(), bytes_out.data(), in.data(), bytes_in.data());
  }

  slk_processes processes_;
  std::vector<slk_process_message> out_;  // to each process, and from each
  std::vector<slk_process_message> in_;
};

std::string_view full_name(std::string_view mpi) {
  return mpi == "mpich" ? "MPICH" : "Open MPI";
}

Error cannot_join(const LaunchedProcess& me, std::string_view why) {
  return Error(fmt::format("cannot work as {} processes", me.size), why,
               "Start one process, or set SLACKLINE_PARALLEL=off and each works alone.");
}

slk_processes open_library(const LaunchedProcess& me, const fs::path& folder) {
  const fs::path library = folder / fmt::format("libslackline_parallel_{}.so", me.mpi);
  std::error_code ignored;
  if (!fs::exists(library, ignored)) {
    throw cannot_join(me, fmt::format("this Slackline was built without {}, whose launcher started "
                                      "it",
                                      full_name(me.mpi)));
  }
  // Open MPI loads parts of itself that look for its functions among those that all can see.
  void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (loaded == nullptr) throw cannot_join(me, dlerror());
  const auto open = reinterpret_cast<slk_processes_open>(dlsym(loaded, SLK_PROCESSES_OPEN));
  if (open == nullptr) throw cannot_join(me, dlerror());
  slk_processes processes{};
  std::array<char, 256> why{};
  if (open(SLK_PROCESSES_VERSION, &processes, why.data(), why.size()) != 0) {
    throw cannot_join(me, why.data());
  }
  return processes;
}

}  // namespace

std::unique_ptr<ProcessGroup> join_processes(const LaunchedProcess& me, const fs::path& libraries) {
  auto joined = std::make_unique<MpiProcesses>(open_library(me, libraries));
  if (joined->size() != me.size) {
    throw cannot_join(me, fmt::format("{} sees {} of them; the launcher is another MPI's",
                                      full_name(me.mpi), joined->size()));
  }
  return joined;
}

}  // namespace slackline
