#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/lost_input.h"

namespace slackline::python {

/// Waits until `ready()` without the GIL and lets Python's signal handlers run meanwhile. False
/// when one of them raised an exception (Ctrl-C), which is then pending.
bool wait_interruptibly(const std::shared_future<void>& ready);

/// While computations take longer than a moment, `callback`, unless None, is called some times a
/// second with what is being done and the seconds since it began, and with an empty text at its
/// end.
void set_progress(pybind11::object callback);

/// Computations that were interrupted and still run.
int abandoned_computations();
/// For the thread of such a computation, once it has ended.
void count_abandoned(int change);

/// Returns work(). Throws Error where an input became shorter meanwhile.
template <class Work>
auto with_whole_input(Work& work) {
  const std::uint64_t before = lost_inputs();
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Work&>>) {
      work();
      refuse_lost_input(before);
    } else {
      auto result = work();
      refuse_lost_input(before);
      return result;
    }
  } catch (...) {
    refuse_lost_input(before);  // which is why
    throw;
  }
}

/// Returns work(), computed on another thread without the GIL. Ctrl-C raises KeyboardInterrupt at
/// once; the computation then ends by itself, so `work` must own all that it uses. Exceptions of
/// `work` are rethrown. Costs a thread, some 50 us.
template <class Work>
auto released(Work work) {
  using Result = std::invoke_result_t<Work&>;
  struct State {
    explicit State(Work w)
        : task([work = std::move(w)]() mutable { return with_whole_input(work); }) {}
    std::packaged_task<Result()> task;
    std::promise<void> ended;
    std::atomic<bool> abandoned{false};
  };
  auto state = std::make_shared<State>(std::move(work));
  std::future<Result> result = state->task.get_future();
  const std::shared_future<void> ended = state->ended.get_future().share();
  std::thread([state] {
    state->task();
    state->ended.set_value();
    if (state->abandoned.exchange(true)) count_abandoned(-1);
  }).detach();
  if (!wait_interruptibly(ended)) {
    count_abandoned(1);
    if (state->abandoned.exchange(true)) count_abandoned(-1);
    throw pybind11::error_already_set();
  }
  return result.get();
}

}  // namespace slackline::python
