#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bindings/opened.h"
#include "calls/run_span.h"

namespace slackline::python {

/// The operation of that name, "MPI_Isend" or "isend". Throws usage Error.
Operation operation_named(const std::string& name);

/// Throws usage Error.
void require_rank(const Trace& trace, std::int32_t rank);

/// Which calls a table is of. What is not given does not restrict it.
struct CallFilter {
  std::optional<std::vector<std::int32_t>> ranks{};
  std::optional<TimeInterval> interval{};  ///< calls that lie in it, at least in part
  std::vector<std::string> operations{};   ///< "MPI_Isend" or "isend"
  std::vector<std::string> regions{};      ///< regions or functions that calls are anywhere in
  std::vector<std::string> functions{};    ///< functions alone, whether or not there are regions
};

/// The selected calls of one rank.
struct SelectedCalls {
  std::int32_t rank = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  /// Where they are not those from `first` on.
  std::optional<std::vector<std::uint32_t>> scattered{};

  std::uint32_t operator[](std::size_t i) const {
    return scattered ? (*scattered)[i] : first + static_cast<std::uint32_t>(i);
  }
};

struct CallSelection {
  std::vector<SelectedCalls> of_ranks;
  std::vector<std::size_t> first_row;  ///< of each of these; one more: of all
  std::size_t rows() const { return first_row.back(); }
};

/// Throws usage Error for a rank, an operation, a region or a function that the trace has not.
/// O(calls) where more than ranks are given, else O(ranks).
CallSelection select_calls(const Opened& opened, const CallFilter& filter);

}  // namespace slackline::python
