#ifndef SLACKLINE_RUNTIME_RECORD_ARGUMENTS_H
#define SLACKLINE_RUNTIME_RECORD_ARGUMENTS_H

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "recorder.h"

namespace slackline::record {

// What C and Fortran hand over, in one form, so that every hook is written once. Nothing is
// converted that the hook does not look at: the call itself gets the program's own pointers.

struct CRequests {
  MPI_Request* p;
  MPI_Request get(int i = 0) const { return p[i]; }
  std::uint64_t address(int i = 0) const { return reinterpret_cast<std::uint64_t>(p + i); }
};

struct FortranRequests {
  MPI_Fint* p;
  MPI_Request get(int i = 0) const { return PMPI_Request_f2c(p[i]); }
  std::uint64_t address(int i = 0) const { return reinterpret_cast<std::uint64_t>(p + i); }
};

struct NoRequest {};
inline constexpr NoRequest none{};

struct CComm {
  MPI_Comm* p;
  MPI_Comm get() const { return *p; }
};
struct FortranComm {
  MPI_Fint* p;
  MPI_Comm get() const { return PMPI_Comm_f2c(*p); }
};
struct CMessage {
  MPI_Message* p;
  MPI_Message get() const { return *p; }
};
struct FortranMessage {
  MPI_Fint* p;
  MPI_Message get() const { return PMPI_Message_f2c(*p); }
};
struct CWin {
  MPI_Win* p;
  MPI_Win get() const { return *p; }
};
struct FortranWin {
  MPI_Fint* p;
  MPI_Win get() const { return PMPI_Win_f2c(*p); }
};

struct CFile {
  MPI_File* p;
  MPI_File get() const { return *p; }
};
struct FortranFile {
  MPI_Fint* p;
  MPI_File get() const { return PMPI_File_f2c(*p); }
};

struct CSession {
  MPI_Session* p;
  MPI_Session get() const { return *p; }
};
struct FortranSession {
  MPI_Fint* p;
  MPI_Session get() const { return PMPI_Session_f2c(*p); }
};

/// Fortran counts from 1.
struct Indices {
  int* p;
  int base;
  int get(int i = 0) const { return p[i] == MPI_UNDEFINED ? MPI_UNDEFINED : p[i] - base; }
};

struct FortranTypes {
  const MPI_Fint* p;
  MPI_Datatype operator[](int i) const { return PMPI_Type_f2c(p[i]); }
};

/// One value where the w-variants have an array.
template <class Value>
struct Same {
  Value value;
  Value operator[](int) const { return value; }
};
template <class Value>
Same<Value> same(Value value) {
  return {value};
}

// Statuses that the program ignores: `spare` in the place of one, nullptr in that of several.
inline MPI_Status* c_status(MPI_Status* s, MPI_Status* spare) {
  return s == MPI_STATUS_IGNORE ? spare : s;
}
inline MPI_Status* c_statuses(MPI_Status* s) {
  return s == MPI_STATUSES_IGNORE ? nullptr : s;
}

/// The addresses by which Fortran says MPI_IN_PLACE and MPI_STATUS(ES)_IGNORE.
struct FortranConstants {
  const void* in_place[2];
  const void* status_ignore[2];
  const void* statuses_ignore[2];
};
const FortranConstants& fortran_constants();

inline bool is_one_of(const void* p, const void* const (&known)[2]) {
  return p == known[0] || p == known[1];
}
/// CHARACTER arguments end with blanks that are not part of them.
inline std::string_view fortran_string(const void* p, std::size_t length) {
  const std::string_view text(static_cast<const char*>(p), length);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

inline const void* fortran_buffer(const void* p) {
  return is_one_of(p, fortran_constants().in_place) ? MPI_IN_PLACE : p;
}
inline MPI_Status* fortran_status(void* p, MPI_Status* spare) {
  return is_one_of(p, fortran_constants().status_ignore) ? spare : static_cast<MPI_Status*>(p);
}
inline MPI_Status* fortran_statuses(void* p) {
  return is_one_of(p, fortran_constants().statuses_ignore) ? nullptr : static_cast<MPI_Status*>(p);
}

/// A copy: Fortran's statuses are aligned to 4 bytes only.
inline MPI_Status load(const MPI_Status* s) {
  MPI_Status copy;
  std::memcpy(&copy, s, sizeof copy);
  return copy;
}

/// Bytes of a status. Read directly where the layout is known: older
/// libraries have nothing but MPI_Get_count, which stops at 2^31.
inline std::uint64_t status_bytes(const MPI_Status& s) {
#if SLK_OPENMPI
  return s._ucount;
#elif SLK_MPICH
  return (static_cast<std::uint64_t>(static_cast<unsigned>(s.count_hi_and_cancelled) >> 1) << 32) +
         static_cast<unsigned>(s.count_lo);
#else
  MPI_Count bytes = 0;
  PMPI_Get_count_c(&s, MPI_BYTE, &bytes);
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
#endif
}

/// Makes the call within its open record. `status`: those that it is to fill.
template <class Call, class... Status>
int measured(Thread& t, Call call, Status... status) {
  t.begin();
  const int rc = call(status...);
  t.end();
  return rc;
}

/// As above, for a call of which little more than its times is recorded.
template <class Call>
int timed(Thread& t, Call call) {
  const int rc = measured(t, call);
  t.close();
  return rc;
}

inline std::int32_t peer_of(int rank) {
  if (rank >= 0) return rank;
  if (rank == MPI_PROC_NULL) return SLK_PEER_NULL;
  if (rank == MPI_ANY_SOURCE) return SLK_PEER_ANY;
  return rank == MPI_ROOT ? SLK_PEER_ROOT : SLK_PEER_NONE;
}
inline std::int32_t tag_of(int tag) {
  return tag == MPI_ANY_TAG ? SLK_TAG_ANY : tag;
}

inline std::uint8_t wildcards(int source, int tag) {
  return static_cast<std::uint8_t>((source == MPI_ANY_SOURCE ? SLK_FLAG_ANY_SOURCE : 0) |
                                   (tag == MPI_ANY_TAG ? SLK_FLAG_ANY_TAG : 0));
}

/// The call found fault with its arguments and communicated nothing. After other errors, such as a
/// message that is too long, it has taken place.
inline bool refused(int rc) {
  if (__builtin_expect(rc == MPI_SUCCESS, 1)) return false;
  int error_class = MPI_ERR_OTHER;
  PMPI_Error_class(rc, &error_class);
  switch (error_class) {
    case MPI_ERR_BUFFER:
    case MPI_ERR_COUNT:
    case MPI_ERR_TYPE:
    case MPI_ERR_TAG:
    case MPI_ERR_COMM:
    case MPI_ERR_RANK:
    case MPI_ERR_ROOT:
    case MPI_ERR_GROUP:
    case MPI_ERR_OP:
    case MPI_ERR_TOPOLOGY:
    case MPI_ERR_DIMS:
    case MPI_ERR_ARG:
      return true;
    default:
      return false;
  }
}

/// Size of a type in bytes; 0 for MPI_DATATYPE_NULL (allowed where a type does not matter).
inline std::uint64_t type_bytes(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return 0;
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return size > 0 ? static_cast<std::uint64_t>(size) : 0;
}

template <class Count>
std::uint64_t bytes_of(Count n, MPI_Datatype type) {
  return n > 0 ? static_cast<std::uint64_t>(n) * type_bytes(type) : 0;
}

}  // namespace slackline::record

#endif
