/* Mark regions of a program for Slackline. C, C++; no library to link: the marks travel through
 * MPI_Pcontrol, which does nothing unless the program runs under `slackline record`.
 *
 *   #include <mpi.h>
 *   #include <slackline.h>
 *   slackline_region_begin("solve");
 *   ...
 *   slackline_region_end("solve");
 *
 * Fortran, by iso_c_binding:
 *
 *   interface
 *     subroutine slackline_region(level, name) bind(C, name="MPI_Pcontrol")
 *       use iso_c_binding
 *       integer(c_int), value :: level
 *       character(kind=c_char), intent(in) :: name(*)
 *     end subroutine
 *   end interface
 *   call slackline_region(1397509953, "solve" // c_null_char)   ! begin
 *   call slackline_region(1397509954, "solve" // c_null_char)   ! end
 *
 * Without any header, MPI_Pcontrol(k) with k >= 2 begins the region "pcontrol k" and
 * MPI_Pcontrol(-k) ends it; MPI_Pcontrol(0) switches recording off and MPI_Pcontrol(1) on. */
#ifndef SLACKLINE_H
#define SLACKLINE_H

#define SLACKLINE_REGION_BEGIN 1397509953
#define SLACKLINE_REGION_END 1397509954

#ifdef MPI_VERSION
static inline void slackline_region_begin(const char* name) {
  MPI_Pcontrol(SLACKLINE_REGION_BEGIN, name);
}
static inline void slackline_region_end(const char* name) {
  MPI_Pcontrol(SLACKLINE_REGION_END, name);
}
#endif

#endif
