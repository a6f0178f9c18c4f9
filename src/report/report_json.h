#pragma once

#include "report/report.h"

namespace slackline {

/// What write_json prints, as a value. Strings are taken as they are: dump it with
/// Json::error_handler_t::replace, or text that is not UTF-8 throws.
Json report_json(const Report& report, bool with_sections);

}  // namespace slackline
