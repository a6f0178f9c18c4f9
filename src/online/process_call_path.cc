// The call path of another process, which waits: its stack is unwound from here by libdw, so that a
// call costs nothing for it until it is asked.

#include "online/processes.h"

#if SLACKLINE_LIBDW
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "trace/symbol_names.h"
#endif

namespace slackline::online {

#if SLACKLINE_LIBDW
namespace {

constexpr std::size_t kDeepest = 6;

std::string_view file_of(Dwfl_Module* module) {
  const char* const name = module == nullptr ? nullptr
                                             : dwfl_module_info(module, nullptr, nullptr, nullptr,
                                                                nullptr, nullptr, nullptr, nullptr);
  const std::string_view path = name == nullptr ? "" : name;
  return path.substr(path.rfind('/') + 1);
}

/// The functions of the thread that waits in this library, innermost first.
struct Stack {
  Dwfl* session;
  std::vector<std::string> functions{};
  bool in_library = false;  ///< the thread that is walked has come to it
  bool in_python = false;

  /// Whether to go on to the caller.
  bool add(Dwarf_Addr address) {
    Dwfl_Module* const module = dwfl_addrmodule(session, address);
    const std::string_view file = file_of(module);
    in_library = in_library || file.starts_with("libslackline_online");
    if (!in_library) return true;
    if (file.starts_with("libslackline_online") || file.starts_with("libmpi")) return true;
    in_python = in_python || file.starts_with("python") || file.starts_with("libpython");
    if (in_python || file.starts_with("libc.") || file.starts_with("libc-")) return false;
    const char* const symbol = module == nullptr ? nullptr : dwfl_module_addrname(module, address);
    functions.push_back(symbol == nullptr ? "(unknown)" : readable_name(symbol));
    return functions.back() != "main";
  }

  static int visit_frame(Dwfl_Frame* frame, void* stack) {
    Dwarf_Addr address = 0;
    bool interrupted = false;
    if (!dwfl_frame_pc(frame, &address, &interrupted)) return DWARF_CB_ABORT;
    // A return address may be the next function's first instruction.
    const bool more = static_cast<Stack*>(stack)->add(interrupted ? address : address - 1);
    return more ? DWARF_CB_OK : DWARF_CB_ABORT;
  }

  static int visit_thread(Dwfl_Thread* thread, void* of) {
    auto* const stack = static_cast<Stack*>(of);
    dwfl_thread_getframes(thread, &Stack::visit_frame, stack);
    return stack->in_library ? DWARF_CB_ABORT : DWARF_CB_OK;
  }
};

std::string joined(const std::vector<std::string>& innermost_first) {
  std::string path;
  for (std::size_t i = std::min(kDeepest, innermost_first.size()); i-- > 0;) {
    path += (path.empty() ? "" : "/") + innermost_first[i];
  }
  return path;
}

}  // namespace

std::string call_path_of_process(pid_t process) {
  static const Dwfl_Callbacks callbacks{.find_elf = dwfl_linux_proc_find_elf,
                                        .find_debuginfo = dwfl_standard_find_debuginfo,
                                        .section_address = nullptr,
                                        .debuginfo_path = nullptr};
  const std::unique_ptr<Dwfl, decltype(&dwfl_end)> session(dwfl_begin(&callbacks), dwfl_end);
  if (session == nullptr || dwfl_linux_proc_report(session.get(), process) != 0 ||
      dwfl_report_end(session.get(), nullptr, nullptr) != 0 ||
      dwfl_linux_proc_attach(session.get(), process, false) != 0) {
    return {};
  }
  Stack stack{session.get()};
  dwfl_getthreads(session.get(), &Stack::visit_thread, &stack);
  return stack.in_python ? std::string() : joined(stack.functions);
}
#else
std::string call_path_of_process(pid_t) {
  return {};
}
#endif

}  // namespace slackline::online
