"""MPI for the programs beside: that of mpi4py, or by ctypes, which every Python has.

The environment's PYTHON_MPI is mpi4py, openmpi or mpich."""
import ctypes
import functools
import os

KIND = os.environ["PYTHON_MPI"]


class Library:
    """Calls the functions that all of the process see, which a preloaded library may stand before."""

    def __init__(self, kind):
        name = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}[kind]
        library = ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
        self.mpi = ctypes.CDLL(None)
        if kind == "openmpi":
            handle = lambda symbol: ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(library, symbol)))
            self.world, self.double, self.sum = map(
                handle, ("ompi_mpi_comm_world", "ompi_mpi_double", "ompi_mpi_op_sum"))
        else:
            self.world, self.double, self.sum = map(ctypes.c_int, (0x44000000, 0x4c00080b, 0x58000003))
        level = ctypes.c_int()
        self.mpi.MPI_Init_thread(None, None, 3, ctypes.byref(level))
        self.rank = self.number("MPI_Comm_rank")
        self.size = self.number("MPI_Comm_size")
        self.barrier = functools.partial(self.mpi.MPI_Barrier, self.world)  # no Python frame

    def number(self, function):
        value = ctypes.c_int()
        getattr(self.mpi, function)(self.world, ctypes.byref(value))
        return value.value

    def exchange(self, to, source):
        """A message to one rank and one from another."""
        out, into = ctypes.c_double(1.0), ctypes.c_double()
        self.mpi.MPI_Sendrecv(ctypes.byref(out), 1, self.double, to, 7, ctypes.byref(into), 1, self.double, source, 7,
                              self.world, None if KIND == "openmpi" else ctypes.c_void_p(1))

    def finalize(self):
        self.mpi.MPI_Finalize()


class Mpi4py:
    def __init__(self):
        from mpi4py import MPI
        self.comm = MPI.COMM_WORLD
        self.rank, self.size = self.comm.rank, self.comm.size
        self.barrier = self.comm.Barrier

    def exchange(self, to, source):
        self.comm.Sendrecv(bytearray(8), to, 7, bytearray(8), source, 7)

    def finalize(self):
        pass


job = Mpi4py() if KIND == "mpi4py" else Library(KIND)
