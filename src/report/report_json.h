#pragma once

#include <string>

#include "report/json_tree.h"
#include "report/report.h"

namespace slackline {

/// What write_json prints, as a value. Strings are taken as they are: dump it with
/// JsonTree::error_handler_t::replace, or text that is not UTF-8 throws. Blobs of the sections are
/// numbered and appended to `blobs`; they live as long as `report`.
JsonTree report_json(const Report& report, bool with_sections, BlobList& blobs);

/// The report as its page holds it: what report_json gives, in fewer bytes. Numbers that are no
/// whole ones have as many digits as anybody reads off a page, and `result` is without its long
/// lists, which the page has as tables, curves and blobs; `left_out` names these. How long a list
/// may be depends on how much there is beside it.
JsonTree page_json(const Report& report, BlobList& blobs);
/// Without white space; what is no UTF-8 is replaced.
std::string page_text(const JsonTree& json);

/// What readers without JavaScript see: the first sections as text, up to a few thousand
/// characters, and how to see the rest.
std::string static_summary(const Report& report);

}  // namespace slackline
