! Blocks that are sampled, as slackline.h says it for Fortran.
program online_sampling
  use mpi
  use iso_c_binding
  implicit none
  interface
    subroutine slackline_region(level, name) bind(C, name="MPI_Pcontrol")
      use iso_c_binding
      integer(c_int), value :: level
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine slackline_sample(level, name, n, precision, run) bind(C, name="MPI_Pcontrol")
      use iso_c_binding
      integer(c_int), value :: level, n
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), intent(in) :: precision
      integer(c_int), intent(inout) :: run
    end subroutine
  end interface
  integer :: i, executed, total, rank, failed
  integer(c_int) :: run
  real :: begin, now
  executed = 0
  call mpi_init(failed)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, failed)
  do i = 1, 40
    run = 1
    call slackline_sample(1397509955, "update" // c_null_char, 4, 0d0, run)
    if (run /= 0) then
      call cpu_time(begin)
      do
        call cpu_time(now)
        if (now - begin >= 0.01) exit
      end do
      executed = executed + 1
      call slackline_region(1397509957, "update" // c_null_char)
    end if
    call mpi_barrier(MPI_COMM_WORLD, failed)
  end do
  call mpi_reduce(executed, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, failed)
  if (rank == 0) print '(a,i0,a)', "executed ", total, " "
  call mpi_finalize(failed)
end program
