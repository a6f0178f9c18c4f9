! As calls_mpif.f90, for mpi_f08: typed handles, optional ierror.
include 'counting.inc'

program calls_f08
  use mpi_f08
  use counting
  implicit none
  integer :: rank, nranks, left, right, i
  integer :: out(4), in(4)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
  type(MPI_Comm) :: comm, row
  integer :: idx, counts(64), displs(64), gathered(64), n, done(2)
  logical :: flag
  double precision :: x(4), y(4)
  integer :: ierr
  type(MPI_File) :: file
  integer(MPI_OFFSET_KIND) :: offset = 0
  character(len=32) :: file_name
  interface
    ! MPICH's has an optional ierror; Open MPI's has none.
    subroutine pcontrol_of_library(level, ierror) bind(C, name="mpi_pcontrol_f08_")
      integer, intent(in) :: level
      integer, intent(inout) :: ierror
    end subroutine
  end interface

  call MPI_Init(); call note('init')
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks)
  right = mod(rank + 1, nranks)
  left = mod(rank + nranks - 1, nranks)
  out = rank
  x = rank
  write (file_name, '(A,I0)') 'calls_f08.out-', rank
  do i = 1, 3
    call MPI_Irecv(in, 4, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, requests(1)); call note('irecv')
    call MPI_Send(out, 4, MPI_INTEGER, right, 1, MPI_COMM_WORLD); call note('send')
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE); call note('wait')
    call MPI_Sendrecv(out, 4, MPI_INTEGER, right, 2, in, 4, MPI_INTEGER, left, 2, MPI_COMM_WORLD, status)
    call note('sendrecv')
    call MPI_Irecv(in, 4, MPI_INTEGER, left, 3, MPI_COMM_WORLD, requests(1)); call note('irecv')
    call MPI_Isend(out, 2, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(2)); call note('isend')
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); call note('waitall')
    call MPI_Irecv(in, 4, MPI_INTEGER, left, 4, MPI_COMM_WORLD, requests(1)); call note('irecv')
    call MPI_Isend(out, 4, MPI_INTEGER, right, 4, MPI_COMM_WORLD, requests(2)); call note('isend')
    call MPI_Waitany(2, requests, idx, status); call note('waitany')
    call MPI_Waitany(2, requests, idx, status); call note('waitany')
    call MPI_Irecv(in, 4, MPI_INTEGER, left, 5, MPI_COMM_WORLD, requests(1)); call note('irecv')
    call MPI_Isend(out, 4, MPI_INTEGER, right, 5, MPI_COMM_WORLD, requests(2)); call note('isend')
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(2, requests, flag, statuses)
    end do
    call note('testall')
    call MPI_Send_init(out, 4, MPI_INTEGER, right, 6, MPI_COMM_WORLD, requests(1)); call note('send_init')
    call MPI_Recv_init(in, 4, MPI_INTEGER, left, 6, MPI_COMM_WORLD, requests(2)); call note('recv_init')
    call MPI_Startall(2, requests); call note('startall')
    call MPI_Waitsome(2, requests, n, done, statuses); call note('waitsome')
    if (n < 2) then
      call MPI_Waitall(2, requests, statuses); call note('waitall')
    end if
    call MPI_Request_free(requests(1)); call note('request_free')
    call MPI_Request_free(requests(2)); call note('request_free')
    call MPI_Allreduce(x, y, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD); call note('allreduce')
    call MPI_Allreduce(MPI_IN_PLACE, x, 4, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    call note('allreduce')
    call MPI_Bcast(x, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD); call note('bcast')
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, row); call note('comm_split')
    call MPI_Comm_dup(row, comm); call note('comm_dup')
    call MPI_Barrier(comm); call note('barrier')
    counts = 1
    displs = [(n, n = 0, 63)]
    call MPI_Allgatherv(rank, 1, MPI_INTEGER, gathered, counts, displs, MPI_INTEGER, MPI_COMM_WORLD)
    call note('allgatherv')
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(1)); call note('ibarrier')
    call MPI_Wait(requests(1), status); call note('wait')
    call MPI_File_open(MPI_COMM_SELF, file_name, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file)
    call note('file_open')
    call MPI_File_iwrite_at(file, offset, out, 4, MPI_INTEGER, requests(1)); call note('file_iwrite_at')
    call MPI_Wait(requests(1), status); call note('wait')
    call MPI_File_write_at_all_begin(file, offset, out, 4, MPI_INTEGER); call note('file_write_at_all_begin')
    call MPI_File_write_at_all_end(file, out, status); call note('file_write_at_all_end')
    call MPI_File_set_atomicity(file, .true.)
    call MPI_File_close(file); call note('file_close')
    call MPI_File_delete(file_name, MPI_INFO_NULL)
    call MPI_Comm_free(comm); call note('comm_free')
    call MPI_Comm_free(row); call note('comm_free')
  end do
  call MPI_Pcontrol(1); call note('pcontrol')
  ierr = -7
  call pcontrol_of_library(1, ierr); call note('pcontrol')
  if (rank == 0) print '(A,I0)', 'ierror of MPI_Pcontrol: ', ierr
  call note('finalize')
  call tell(rank)
  call MPI_Finalize()
end program
