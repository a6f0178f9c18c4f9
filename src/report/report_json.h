#pragma once

#include <string_view>
#include <vector>

#include "report/json_tree.h"
#include "report/report.h"

namespace slackline {

/// The blobs of a report in the order of their numbers.
using BlobList = std::vector<const Blob*>;

/// What write_json prints, as a value. Strings are taken as they are: dump it with
/// JsonTree::error_handler_t::replace, or text that is not UTF-8 throws. Blobs of the sections are
/// numbered and appended to `blobs`; they live as long as `report`.
JsonTree report_json(const Report& report, bool with_sections, BlobList& blobs);

std::string_view name_of(Unit unit);

/// Items that refer to blobs.
JsonTree timeline_json(const Timeline& timeline, BlobList& blobs);
JsonTree matrix_json(const Matrix& matrix, BlobList& blobs);

}  // namespace slackline
