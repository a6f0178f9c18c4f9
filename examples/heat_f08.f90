! Heat in a rod, explicit steps, in Fortran 2008 with the module mpi_f08.
!
! The rod is split among the ranks; each step exchanges one point with either neighbour by
! nonblocking messages, and every tenth step forms the total heat.
!
! usage: heat_f08 [POINTS STEPS]     default: 200000 60
!
! Heat is conserved until it reaches the ends, so the printed total stays what it was.
program heat_f08
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  implicit none

  integer :: rank, ranks, points, steps, own, left, right, step
  real(real64), allocatable :: now(:), next(:)
  real(real64) :: total

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  points = argument(1, 200000)
  steps = argument(2, 60)

  own = points / ranks
  if (rank < mod(points, ranks)) own = own + 1
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
  allocate (now(0:own + 1), next(0:own + 1))
  now = 0
  next = 0
  if (rank == ranks / 2) now(own / 2 + 1) = 1000

  total = 0
  do step = 1, steps
    call exchange(now, own)
    next(1:own) = now(1:own) + 0.25_real64 * (now(0:own - 1) - 2 * now(1:own) + now(2:own + 1))
    now(1:own) = next(1:own)
    if (mod(step, 10) == 0) total = sum_over_ranks(sum(now(1:own)))
  end do

  if (rank == 0) print '(a,i0,a,i0,a,f12.6)', 'heat_f08: ', points, ' points, ', steps, &
    ' steps, total ', total
  call MPI_Finalize()

contains

  integer function argument(position, default)
    integer, intent(in) :: position, default
    character(len=32) :: text
    argument = default
    if (command_argument_count() < position) return
    call get_command_argument(position, text)
    read (text, *) argument
  end function argument

  subroutine exchange(field, n)
    real(real64), intent(inout), asynchronous :: field(0:)
    integer, intent(in) :: n
    type(MPI_Request) :: requests(4)
    call MPI_Irecv(field(0), 1, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(field(n + 1), 1, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Isend(field(1), 1, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(3))
    call MPI_Isend(field(n), 1, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(4))
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
  end subroutine exchange

  real(real64) function sum_over_ranks(own_sum)
    real(real64), intent(in) :: own_sum
    call MPI_Allreduce(own_sum, sum_over_ranks, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end function sum_over_ranks
end program heat_f08
