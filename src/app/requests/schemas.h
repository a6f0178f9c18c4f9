#pragma once

#include "report/typed_report.h"

namespace slackline {

// The schema of what each command writes as JSON.
CommandSchema advise_schema();
CommandSchema calibrate_schema();
CommandSchema check_schema();
CommandSchema convert_schema();
CommandSchema critical_path_schema();
CommandSchema diff_schema();
CommandSchema efficiency_schema();
CommandSchema gains_schema();
CommandSchema history_schema();
CommandSchema hotspots_schema();
CommandSchema info_schema();
CommandSchema monitor_schema();
CommandSchema place_schema();
CommandSchema platform_schema();
CommandSchema predict_schema();
CommandSchema query_schema();
CommandSchema replay_schema();
CommandSchema report_schema();
CommandSchema sensitivity_schema();
CommandSchema simulate_schema();
CommandSchema simulate_online_schema();
CommandSchema tolerance_schema();
CommandSchema top_schema();
CommandSchema validate_schema();
CommandSchema wait_states_schema();
CommandSchema whatif_schema();

}  // namespace slackline
