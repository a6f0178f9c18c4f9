#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace slackline {

/// The names that --section reads, in the order of the report.
std::vector<std::string> section_names();

/// Throws usage Error for a name that is none of section_names().
void check_section_names(const std::vector<std::string>& names);

/// Throws usage Error for a name that no section of `report`, which is of a training run, has.
void require_training_sections(const std::vector<std::string>& names, const Report& report);

/// Keeps only the named parts of `report`'s sections; all of them where nothing is named. What
/// scripts read, Report::result, stays whole.
void select_sections(const std::vector<std::string>& names, Report& report);

}  // namespace slackline
