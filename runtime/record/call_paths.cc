// The records of call paths, and of the modules and the Python code that they go through.

#include "recorder.h"
#include "trace/sample_wire.h"

namespace slackline::record {

void CallPathRecords::new_module(const LoadedModule& module) {
  std::int64_t args[kModuleArguments];
  const std::size_t n = module_arguments(module, args);
  const std::uint64_t now = now_ns();
  thread_.write(slk_record{now, now, 0, SLK_PEER_NONE, 0, 0, 0, 0, 0, 0, SLK_REC_MODULE}, args, n);
}

void CallPathRecords::new_path(std::uint16_t id, const std::uint64_t* addresses, std::size_t depth,
                               bool whole) {
  const std::uint64_t now = now_ns();
  const std::uint64_t flags = whole ? std::uint64_t{SLK_PATH_WHOLE} : 0;
  thread_.write(slk_record{now, now, flags, SLK_PEER_NONE, 0, 0, id, 0, 0, 0, SLK_REC_CALL_PATH},
                reinterpret_cast<const std::int64_t*>(addresses), depth);
}

bool CallPathRecords::new_python(const PythonInterpreter& python) {
  thread_.write(python_record(python), nullptr, 0);
  return true;
}

bool CallPathRecords::new_python_code(std::uint32_t id, const std::int64_t* args,
                                      std::size_t n_args) {
  thread_.write(python_code_record(id), args, n_args);
  return true;
}

}  // namespace slackline::record
