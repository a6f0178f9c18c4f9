#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "trace/samples.h"
#include "whatif/edit.h"

namespace slackline {

/// What an action changed, of what it selected.
struct Change {
  std::uint64_t changed = 0;
  std::uint64_t selected = 0;
  std::string_view unit{};
};

/// One kind of edit. The table is edit_actions(); a new kind is a line there.
struct EditAction {
  std::string_view name;
  std::string_view summary;                ///< for help, a noun phrase or imperative clause
  std::span<const std::string_view> keys;  ///< arguments beside those of Selection
  Program (*apply)(const Edit&, const ProgramView&, Change&);
  bool keeps_calls = true;  ///< only the computation between calls changes
};

std::span<const EditAction> edit_actions();

// Actions on computation (computation_edits.cc, balance.cc, delay_edits.cc).
Program scale_computation(const Edit& edit, const ProgramView& program, Change& change);
Program set_computation(const Edit& edit, const ProgramView& program, Change& change);
Program shift_computation(const Edit& edit, const ProgramView& program, Change& change);
Program add_noise(const Edit& edit, const ProgramView& program, Change& change);
Program limit_computation(const Edit& edit, const ProgramView& program, Change& change);
Program add_delays(const Edit& edit, const ProgramView& program, Change& change);
Program overlap_computation(const Edit& edit, const ProgramView& program, Change& change);
Program balance_computation(const Edit& edit, const ProgramView& program, Change& change);

// Actions on messages and collectives (communication_edits.cc, message_division.cc,
// substitution.cc).
Program remove_messages(const Edit& edit, const ProgramView& program, Change& change);
Program resize_messages(const Edit& edit, const ProgramView& program, Change& change);
Program split_messages(const Edit& edit, const ProgramView& program, Change& change);
Program merge_messages(const Edit& edit, const ProgramView& program, Change& change);
Program remove_collectives(const Edit& edit, const ProgramView& program, Change& change);
Program substitute_calls(const Edit& edit, const ProgramView& program, Change& change);

// Actions on the program as a whole (iteration_edits.cc).
Program change_iterations(const Edit& edit, const ProgramView& program, Change& change);

}  // namespace slackline
