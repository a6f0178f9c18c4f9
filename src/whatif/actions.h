#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "trace/trace.h"
#include "whatif/edit.h"

namespace slackline {

/// What an action changed.
struct Change {
  std::uint64_t changed = 0;
  std::string_view unit{};
};

/// One kind of edit. The table is edit_actions(); a new kind is a line there.
struct EditAction {
  std::string_view name;
  std::string_view summary;                ///< for help, a noun phrase or imperative clause
  std::span<const std::string_view> keys;  ///< arguments beside those of Selection
  Trace (*apply)(const Edit&, const Trace&, Change&);
  bool keeps_calls = true;  ///< only the computation between calls changes
};

std::span<const EditAction> edit_actions();

// Actions on computation (computation_edits.cc, balance.cc, delay_edits.cc).
Trace scale_computation(const Edit& edit, const Trace& trace, Change& change);
Trace set_computation(const Edit& edit, const Trace& trace, Change& change);
Trace shift_computation(const Edit& edit, const Trace& trace, Change& change);
Trace add_noise(const Edit& edit, const Trace& trace, Change& change);
Trace limit_computation(const Edit& edit, const Trace& trace, Change& change);
Trace add_delays(const Edit& edit, const Trace& trace, Change& change);
Trace overlap_computation(const Edit& edit, const Trace& trace, Change& change);
Trace balance_computation(const Edit& edit, const Trace& trace, Change& change);

// Actions on messages and collectives (message_edits.cc, message_division.cc, collective_edits.cc,
// substitution.cc).
Trace remove_messages(const Edit& edit, const Trace& trace, Change& change);
Trace resize_messages(const Edit& edit, const Trace& trace, Change& change);
Trace split_messages(const Edit& edit, const Trace& trace, Change& change);
Trace merge_messages(const Edit& edit, const Trace& trace, Change& change);
Trace remove_collectives(const Edit& edit, const Trace& trace, Change& change);
Trace substitute_calls(const Edit& edit, const Trace& trace, Change& change);

}  // namespace slackline
