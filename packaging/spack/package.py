# Copyright the Slackline developers. SPDX-License-Identifier: Apache-2.0

import os

from spack.package import *


class Slackline(CMakePackage):
    """Analysis of recorded runs of MPI programs: where the time goes, what limits them, and at what network latency
    they become slower."""

    homepage = "slackline"
    # Put the tarball of `./dev dist` into a folder of a mirror, or into the current one.
    manual_download = True
    url = f"file://{os.getcwd()}/slackline-0.2.0.tar.gz"

    version("0.2.0")

    depends_on("cxx", type="build")
    depends_on("c", type="build")
    depends_on("fortran", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("mpi")
    depends_on("fmt")
    depends_on("cli11")
    depends_on("nlohmann-json")
    depends_on("zstd")
    depends_on("zlib-api")
    depends_on("xz")
    depends_on("libdeflate")
    depends_on("xxhash")
    depends_on("tomlplusplus")
    depends_on("pugixml")
    depends_on("scotch")
    depends_on("simdjson")
    depends_on("cpp-httplib@0.11:")
    depends_on("flatbuffers")
    depends_on("sqlite")
    depends_on("otf2")
    depends_on("elfutils")
    depends_on("ucx")
    depends_on("libfabric")

    conflicts("%gcc@:10", msg="C++20 needs g++ 11 or later")

    generator("ninja")

    def cmake_args(self):
        return [self.define("SLACKLINE_TESTS", False), self.define("CMAKE_UNITY_BUILD", True)]
