#pragma once

#include "report/json_tree.h"
#include "report/report.h"

namespace slackline {

/// What write_json prints, as a value. Strings are taken as they are: dump it with
/// JsonTree::error_handler_t::replace, or text that is not UTF-8 throws. Blobs of the sections are
/// numbered and appended to `blobs`; they live as long as `report`.
JsonTree report_json(const Report& report, bool with_sections, BlobList& blobs);

}  // namespace slackline
