#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "report/report.h"

namespace slackline::python {

using ReportPtr = std::shared_ptr<Report>;

/// `report` in the form "json", "sections" (JSON with the whole tree), "html" or "text", as the
/// command line writes it.
pybind11::str report_text(const ReportPtr& report, const std::string& form);

}  // namespace slackline::python
