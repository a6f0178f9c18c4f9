! Fortran ways to a call of MPI: module procedures, recursion, internal procedures, optional and
! assumed-shape arguments, through mpif.h. call_paths_gdb_test.py compares the recorded paths with
! the debugger's.
module halo
  implicit none
  include 'mpif.h'
  integer :: me, kept = 0
contains
  subroutine exchange(values)
    real, intent(inout) :: values(:)
    integer :: ierr
    integer :: got, status(MPI_STATUS_SIZE)
    got = 0
    call MPI_Sendrecv(me, 1, MPI_INTEGER, me, 0, got, 1, MPI_INTEGER, me, 0, MPI_COMM_WORLD, status, ierr)
    values(1) = values(1) + real(got) + 1.0
    kept = kept + 1
  end subroutine

  recursive subroutine descend(depth, values)
    integer, intent(in) :: depth
    real, intent(inout) :: values(:)
    if (depth == 0) then
      call exchange(values)
    else
      call descend(depth - 1, values)
    end if
    values(2) = values(2) + real(depth)
    kept = kept + 1
  end subroutine

  subroutine relax(depth, values)
    integer, intent(in) :: depth
    real, intent(inout) :: values(:)
    call inner()
    kept = kept + 1
  contains
    subroutine inner()
      call descend(depth, values)
      values(3) = values(3) + 1.0
    end subroutine
  end subroutine
end module

program frames
  use halo
  implicit none
  integer :: i, ierr
  real :: values(100)
  values = 0.0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  do i = 1, 600
    call relax(mod(i, 6), values(1:50))
    if (mod(i, 3) == 0) call exchange(values)
  end do
  if (kept < 0) print *, values
  call MPI_Finalize(ierr)
end program
