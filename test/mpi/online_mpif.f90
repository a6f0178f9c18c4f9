! Conversions of arguments between Fortran and C, each with a result that is known. Prints "ok" from rank 0.
program online_mpif
  implicit none
  include 'mpif.h'
  integer :: rank, ranks, error, before, after, got, total, place, members, half, grid, i, out
  integer :: requests(2), state(MPI_STATUS_SIZE), states(MPI_STATUS_SIZE, 2), indices(2)
  integer :: extents(2), at(2), up, down
  logical :: flag, periodic(2), kept(2)
  double precision :: begin

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  before = mod(rank + ranks - 1, ranks)
  after = mod(rank + 1, ranks)

  call MPI_Sendrecv(rank, 1, MPI_INTEGER, after, 1, got, 1, MPI_INTEGER, before, 1, MPI_COMM_WORLD, state, error)
  call check(got == before .and. state(MPI_SOURCE) == before .and. state(MPI_TAG) == 1, 'MPI_Sendrecv')
  call MPI_Get_count(state, MPI_INTEGER, i, error)
  call check(i == 1, 'MPI_Get_count')

  call MPI_Irecv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(rank, 1, MPI_INTEGER, after, 2, MPI_COMM_WORLD, requests(2), error)
  call MPI_Waitall(2, requests, states, error)
  call check(got == before .and. states(MPI_SOURCE, 1) == before, 'MPI_Waitall')
  call check(requests(1) == MPI_REQUEST_NULL .and. requests(2) == MPI_REQUEST_NULL, 'MPI_REQUEST_NULL')

  call MPI_Irecv(got, 1, MPI_INTEGER, before, 3, MPI_COMM_WORLD, requests(1), error)
  requests(2) = MPI_REQUEST_NULL
  call MPI_Send(rank, 1, MPI_INTEGER, after, 3, MPI_COMM_WORLD, error)
  call MPI_Waitany(2, requests, i, MPI_STATUS_IGNORE, error)
  call check(i == 1 .and. got == before, 'MPI_Waitany')
  call MPI_Waitany(2, requests, i, MPI_STATUS_IGNORE, error)
  call check(i < 0, 'MPI_Waitany of nothing') ! MPICH 4.0 adds 1 to MPI_UNDEFINED

  call MPI_Irecv(got, 1, MPI_INTEGER, before, 4, MPI_COMM_WORLD, requests(2), error)
  requests(1) = MPI_REQUEST_NULL
  call MPI_Send(rank, 1, MPI_INTEGER, after, 4, MPI_COMM_WORLD, error)
  call MPI_Waitsome(2, requests, out, indices, MPI_STATUSES_IGNORE, error)
  call check(out == 1 .and. indices(1) == 2, 'MPI_Waitsome')

  call MPI_Recv_init(got, 1, MPI_INTEGER, before, 5, MPI_COMM_WORLD, requests(1), error)
  call MPI_Send_init(rank, 1, MPI_INTEGER, after, 5, MPI_COMM_WORLD, requests(2), error)
  call MPI_Startall(2, requests, error)
  flag = .false.
  do while (.not. flag)
    call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE, error)
  end do
  call check(got == before, 'MPI_Testall')
  call MPI_Request_free(requests(1), error)
  call MPI_Request_free(requests(2), error)
  call check(requests(1) == MPI_REQUEST_NULL, 'MPI_Request_free')

  total = rank
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check(total == ranks * (ranks - 1) / 2, 'MPI_IN_PLACE')

  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, error)
  call MPI_Comm_rank(half, place, error)
  call MPI_Comm_size(half, members, error)
  call check(place == rank / 2 .and. members == (ranks + 1 - mod(rank, 2)) / 2, 'MPI_Comm_split')
  call MPI_Barrier(half, error)
  call MPI_Comm_free(half, error)
  call check(half == MPI_COMM_NULL, 'MPI_Comm_free')

  extents = 0
  periodic = (/ .true., .false. /)
  call MPI_Dims_create(ranks, 2, extents, error)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, .false., grid, error)
  call MPI_Cart_coords(grid, rank, 2, at, error)
  call check(at(1) == rank / extents(2) .and. at(2) == mod(rank, extents(2)), 'MPI_Cart_coords')
  call MPI_Cart_shift(grid, 0, 1, up, down, error)
  call check(down == mod(rank + extents(2), ranks), 'MPI_Cart_shift')
  kept = (/ .false., .true. /)
  call MPI_Cart_sub(grid, kept, half, error)
  call MPI_Comm_size(half, members, error)
  call check(members == extents(2), 'MPI_Cart_sub')

  call two_groups()
  call window()

  call MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, flag, state, error)
  call check(.not. flag, 'MPI_Iprobe')
  begin = MPI_Wtime()
  call sleep(3)
  call check(MPI_Wtime() - begin > 2.999d0 .and. MPI_Wtime() - begin < 3.1d0, 'sleep')
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (rank == 0) print '(a)', 'ok'
  call MPI_Finalize(error)

contains

  ! The first rank and the others.
  subroutine two_groups()
    integer :: local, inter, merged, remote, color, leader
    logical :: is_inter
    color = merge(0, 1, rank == 0)
    leader = merge(1, 0, rank == 0)
    call MPI_Comm_split(MPI_COMM_WORLD, color, rank, local, error)
    call MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, leader, 5, inter, error)
    call MPI_Comm_test_inter(inter, is_inter, error)
    call MPI_Comm_remote_size(inter, remote, error)
    call check(is_inter .and. remote == merge(ranks - 1, 1, rank == 0), 'MPI_Intercomm_create')
    call MPI_Intercomm_merge(inter, rank == 0, merged, error)
    call MPI_Comm_rank(merged, remote, error)
    call check(remote == mod(rank + ranks - 1, ranks), 'MPI_Intercomm_merge')
    call MPI_Comm_free(merged, error)
    call MPI_Comm_free(inter, error)
    call MPI_Comm_free(local, error)
  end subroutine two_groups

  subroutine window()
    integer :: win, memory(2)
    integer(MPI_ADDRESS_KIND) :: bytes, place
    memory = -1
    bytes = 8
    place = 1
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, error)
    call MPI_Win_fence(0, win, error)
    call MPI_Put(rank, 1, MPI_INTEGER, mod(rank + 1, ranks), place, 1, MPI_INTEGER, win, error)
    call MPI_Win_fence(0, win, error)
    call check(memory(1) == -1 .and. memory(2) == mod(rank + ranks - 1, ranks), 'MPI_Put')
    call MPI_Win_free(win, error)
  end subroutine window

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print *, 'rank', rank, ': wrong result of ', what
    call MPI_Abort(MPI_COMM_WORLD, 3, error)
  end subroutine check

end program online_mpif
