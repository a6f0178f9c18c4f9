// All wrappers, generated from calls/mpi_calls.txt, and the table by which the preloaded library
// finds them. Compiled once per MPI library.

#include <mpi.h>

#include <dlfcn.h>
#include <cstdarg>

#include "hooks/collective.h"
#include "hooks/completion.h"
#include "hooks/environment.h"
#include "hooks/partitioned.h"
#include "hooks/persistent.h"
#include "hooks/probe.h"
#include "interposed.h"

#if SLK_OPENMPI
#define SLK_PMPI_F08 "pmpi_"
#else
#define SLK_PMPI_F08 "pmpir_"
#endif

namespace slackline::record {

namespace {

const void* address_of(const char* name) {
  return dlsym(RTLD_DEFAULT, name);
}

/// MPICH's mpi_f08 objects; Open MPI's Fortran constants are recognised by their own addresses.
FortranConstants find_constants() {
#if SLK_OPENMPI
  return {{address_of("mpi_fortran_in_place_"), address_of("mpi_fortran_in_place")},
          {address_of("mpi_fortran_status_ignore_"), MPI_F_STATUS_IGNORE},
          {address_of("mpi_fortran_statuses_ignore_"), MPI_F_STATUSES_IGNORE}};
#else
  return {{address_of("MPIR_F08_MPI_IN_PLACE"), nullptr},
          {address_of("MPIR_F08_MPI_STATUS_IGNORE_OBJ"), nullptr},
          {address_of("MPIR_F08_MPI_STATUSES_IGNORE_OBJ"), nullptr}};
#endif
}

FortranConstants constants;
bool constants_known;

}  // namespace

const FortranConstants& fortran_constants() {
  // Several threads may find the same values: harmless.
  if (!constants_known) {
    constants = find_constants();
    constants_known = true;
  }
  return constants;
}

#include "wrappers.inc"

extern "C" __attribute__((visibility("default"))) const Interposed* slk_recorder_table(
    unsigned long signature) {
  return signature == SLK_TABLE_SIGNATURE ? kInterposed : nullptr;
}

extern "C" __attribute__((visibility("default"))) void slk_note_signal(int number) {
  note_signal(number);
}

extern "C" __attribute__((visibility("default"))) void slk_note_unrecorded(const char* name) {
  note_unrecorded(name);
}

extern "C" __attribute__((visibility("default"))) void slk_note_closing(const void* dynamic) {
  note_closing(dynamic);
}

extern "C" __attribute__((visibility("default"))) void slk_note_closed() {
  note_closed();
}

extern "C" __attribute__((visibility("default"))) void slk_before_exec() {
  before_exec();
}

extern "C" __attribute__((visibility("default"))) void slk_after_exec() {
  after_exec();
}

extern "C" __attribute__((visibility("default"))) slk_blocking_token slk_blocking_begin(
    unsigned kind) {
  return begin_blocking(kind);
}

extern "C" __attribute__((visibility("default"))) void slk_blocking_end(
    const slk_blocking_call* call) {
  end_blocking(*call);
}

extern "C" __attribute__((visibility("default"))) int slk_blocking_interrupted() {
  return blocking_interrupted() ? 1 : 0;
}

extern "C" __attribute__((visibility("default"))) void slk_note_start(const char* hidden,
                                                                      std::uint64_t cpu_ns) {
  note_start(hidden, cpu_ns, __builtin_return_address(0));
}

}  // namespace slackline::record
