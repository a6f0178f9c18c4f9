#!/usr/bin/env python3
"""Recording jobs: however they are started and end, and beside other tools.

    jobs_test.py CASE --mpi openmpi|mpich --slackline BINARY --print RAW_PRINT --programs DIR

Exit status 77: cannot be tried here (said in words)."""
import os
import re
import shutil
import subprocess

from recording import calls, check, finding, run_case, skip, succeeded


def case_kill(test):
    done = test.record(test.launcher(3) + [test.program("scenario"), "kill"])
    check(done.returncode != 0, "a killed job has failed")
    text = test.text()
    check(finding(text, "not_finalized") == 3, "no rank reached MPI_Finalize")
    check(calls(text, 1, "sendrecv_replace") == 20, "what the killed rank did before is there")
    # Complete calls: rank 1 had 20 messages of rank 0, whose 20th call may be open, and which had 19 of rank 2,
    # whose 19th may be. What rank 1 sent lets rank 2 complete 20 calls, and rank 0 21.
    for rank, least, most in ((0, 19, 21), (2, 18, 20)):
        check(least <= calls(text, rank, "sendrecv_replace") <= most, "survivors stop soon after")
    check(finding(text, "unfinished_call") >= 1, "a survivor was waiting inside MPI")
    check(os.path.exists(os.path.join(test.output, "trace.slk")), "the trace is written")


def case_abort(test):
    done = test.record(test.launcher(3) + [test.program("scenario"), "abort"])
    check(done.returncode != 0, "an aborted job has failed")
    text = test.text()
    check(finding(text, "not_finalized") == 3, "no rank reached MPI_Finalize")
    check(calls(text, 1, "abort") == 1, "the call of MPI_Abort itself is there")
    check(calls(text, 1, "sendrecv_replace") == 20, "and what came before")


def case_leave(test):
    test.record(test.launcher(2) + [test.program("scenario"), "leave"])
    text = test.text()
    check(finding(text, "not_finalized") == 2, "said that MPI_Finalize is missing")
    check(calls(text, 0, "sendrecv_replace") == 20, "all calls are there")
    check(finding(text, "unfinished_call") == 0, "no call was under way")


def case_status(test):
    done = test.record(test.launcher(2) + [test.program("scenario"), "status"])
    check(done.returncode == 5, "the job's exit status comes through")


def case_children(test):
    done = test.record(test.launcher(2) + [test.program("scenario"), "children"])
    check(done.returncode == 0, "children run as ever")
    check("slackline: not recorded" not in done.stderr, "children hear nothing of Slackline")
    files = set(os.listdir(os.path.join(test.output, "raw"))) - {"job-end"}
    check(len({name.split(".")[0] for name in files}) == 2 and len(files) == 4, f"only the ranks left files: {files}")


def case_paused(test):
    done = test.record(test.launcher(2) + [test.program("scenario"), "paused"])
    succeeded(done)
    text = test.text()
    check(calls(text, 0, "sendrecv_replace") == 3, "2 before and 1 after the pause")
    check(finding(text, "recording_paused") == 2, "the pause is told, once a rank")
    for region in ('"solve"', '"pcontrol 7"'):
        for mark in ("enter", "leave"):
            check(len(re.findall(rf"{mark} {region}$", text, re.M)) == 2, f"{mark} {region}")


def case_nothing(test):
    done = test.record(test.launcher(1) + [test.program("scenario"), "nothing"])
    check(done.returncode == 1, "no trace is a failure, though the job itself ended well")
    check("nothing was recorded" in done.stderr, "said in words")
    check(not os.path.exists(test.output), "no empty folder stays behind")


def case_no_mpi(test):
    """A command without MPI is no recording: a failure, unless the command failed in its own way."""
    for command, status in (["ls"], 1), (["false"], 1), (["sh", "-c", "exit 7"], 7):
        done = test.slackline("record", "-o", test.output, "--", *command)
        check(done.returncode == status, f"{command} ends with {done.returncode}")
        check("nothing was recorded" in done.stderr and "mpirun" in done.stderr, "why, and what to do")
        check(not os.path.exists(test.output), "no empty folder stays behind")


def script_of(test, lines):
    path = os.path.join(test.folder, "Allrun")
    with open(path, "w", encoding="utf-8") as out:
        out.write("#!/bin/sh\nset -e\n" + "\n".join(lines) + "\n")
    os.chmod(path, 0o755)
    return path


def job_line(test, ranks, *program):
    launcher = f"mpirun.{test.arguments.mpi}"
    return " ".join([launcher, "-n", str(ranks), test.program(program[0]), *program[1:]])


def case_jobs(test):
    """One command, three jobs, two of them at the same time: a trace for each."""
    lines = [job_line(test, 2, "scenario", "many", "10"),
             job_line(test, 3, "scenario", "many", "20") + " & first=$!",
             job_line(test, 2, "threads", "churn"), "wait $first", "exit 4"]
    done = test.slackline("record", "--yield", "-o", test.output, "--", script_of(test, lines))
    check(done.returncode == 4, "the script's exit status comes through")
    check("not recorded" not in done.stderr, "every rank is recorded")
    files = sorted(os.listdir(test.output))
    check(len(files) == 3 and files[0] == "1-scenario.slk", f"a trace for each job: {files}")
    check(sorted(name.split("-")[1] for name in files) ==
          ["scenario.slk", "scenario.slk", "threads.slk"], f"named after the programs: {files}")
    ranks = sorted(subprocess.run([test.arguments.slackline, "print",
                                   os.path.join(test.output, name)], capture_output=True,
                                  text=True, check=True).stdout.count("\nrank ")
                   for name in files)
    check(ranks == [2, 2, 3], f"with the ranks of each: {ranks}")
    check(f"slackline report {os.path.basename(test.output)}" in done.stderr, "what to do next")


def case_existing(test):
    """A trace that is there already is replaced only when that is asked for."""
    command = test.launcher(1) + [test.program("scenario"), "many", "1"]
    check(test.slackline("record", "--yield", "-o", test.output, "--", *command).returncode == 0, "the first")
    with open(os.path.join(test.output, "trace.slk"), "rb") as file:
        before = file.read()
    done = test.slackline("record", "--yield", "-o", test.output, "--", *command)
    check(done.returncode == 1 and "--force" in done.stderr, "is not overwritten")
    check("sum" not in done.stdout, "the job is not started for nothing")
    with open(os.path.join(test.output, "trace.slk"), "rb") as file:
        check(file.read() == before, "and stays as it was")
    jobs = script_of(test, [" ".join(command), " ".join(command)])
    done = test.slackline("record", "--yield", "--force", "-o", test.output, "--", jobs)
    check(done.returncode == 0, "with --force it is")
    check(sorted(os.listdir(test.output)) == ["1-scenario.slk", "2-scenario.slk"],
          "and nothing of the earlier recording stays")
    named = os.path.join(test.folder, "run.slk")
    check(test.slackline("record", "--yield", "-o", named, "--", *command).returncode == 0, "a named file")
    done = test.slackline("record", "--yield", "-o", named, "--", *command)
    check(done.returncode == 1 and "run.slk" in done.stderr, "is not overwritten either")


def case_tools(test):
    """Another PMPI tool counts what it counts without the recorder, however it is preloaded."""
    tool = test.program("tool.so")
    program = [test.program("scenario"), "many", "50"]
    named = {"openmpi": ["-x", f"LD_PRELOAD={tool}"], "mpich": ["-genv", "LD_PRELOAD", tool]}
    launcher = test.launcher(2)
    ways = {"environment": (launcher + program, {"LD_PRELOAD": tool}),
            "launcher": (launcher[:1] + named[test.arguments.mpi] + launcher[1:] + program, {}),
            "env": (launcher + ["env", f"LD_PRELOAD={tool}"] + program, {})}
    for way, (command, environment) in ways.items():
        shutil.rmtree(test.output, ignore_errors=True)
        done = test.record(command, **environment)
        check(done.returncode == 0, f"{way}: the job failed")
        check(done.stdout.count("tool counted 50") == 2, f"{way}: the tool sees every call")
        text = test.text()
        for rank in (0, 1):
            check(calls(text, rank, "sendrecv_replace") == 50, f"{way}: and so does the recorder")
        check(not re.search("^finding (?!oversubscribed|other_processes)", text, re.M), f"{way}: no findings")


def case_own_wrapper(test):
    done = test.record(test.launcher(2) + [test.program("own_wrapper")])
    check(done.stdout.count("program counted 10") == 2, "the program runs as ever")
    text = test.text()
    check(calls(text, 0, "barrier") == 1, "what it does not wrap is recorded")
    check(finding(text, "hidden_calls") == 2, "and what is missing is said")
    check("MPI_Sendrecv_replace" in text, "by name")


def case_late(test):
    """MPI is opened with dlopen, and its functions are looked up with dlsym."""
    library = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}[test.arguments.mpi]
    done = test.record(test.launcher(2) + [test.program("late"), library])
    check(done.returncode == 0 and done.stdout.count("done") == 2, "the program runs as ever")
    text = test.text()
    for rank in (0, 1):
        check(calls(text, rank, "barrier") == 10, "every call is recorded")
        check(calls(text, rank, "finalize") == 1, "to the end")


def case_wrapper(test):
    wrapped = [test.arguments.slackline, "preload", "-o", test.output]
    if test.arguments.mpi == "mpich":
        wrapped.append("--yield")
    done = test.run(test.launcher(2) + wrapped + ["--", test.program("scenario"), "many", "10"])
    check(done.returncode == 0, "the job runs behind the wrapper")
    check(calls(test.text(), 1, "sendrecv_replace") == 10, "all calls are there")
    done = test.run([test.arguments.slackline, "record", "--finish", test.output])
    check(done.returncode == 0, "the raw files are converted")
    check(os.listdir(test.output) == ["trace.slk"], "the trace is all that is left")


def case_launchers(test):
    """Launchers of batch systems by their names and ways, with the real one behind them."""
    real = test.launcher(2)[0]
    scripts = {"srun": f'exec {real} "$@"', "jsrun": f'exec {real} "$@"',
               "flux": f'shift; exec {real} "$@"'}
    if test.arguments.mpi == "openmpi":
        # A daemon starts the ranks: they get what -x names, and not prun's own environment.
        scripts["prun"] = f'exec env -u LD_PRELOAD -u SLACKLINE_DIR {real} "$@"'
    for name, line in scripts.items():
        shutil.rmtree(test.output, ignore_errors=True)
        path = os.path.join(test.folder, name)
        with open(path, "w", encoding="utf-8") as script:
            script.write(f"#!/bin/sh\n{line}\n")
        os.chmod(path, 0o755)
        words = [path, "run"] if name == "flux" else [path]
        done = test.record([*words, "-n", "2", test.program("scenario"), "many", "10"])
        check(done.returncode == 0, f"{name}: the job failed")
        check(calls(test.text(), 1, "sendrecv_replace") == 10, f"{name}: all calls are there")


def case_script(test):
    script = f'eval "$({test.arguments.slackline} preload -o {test.output})"; exec "$@"'
    done = test.run(["bash", "-c", script, "-"] + test.launcher(2) +
                    [test.program("scenario"), "status"])
    check(done.returncode == 5, "a batch script's job runs with its own exit status")
    # The first rank that exits with a status makes Open MPI's mpirun kill the others, who may still
    # be in MPI_Finalize.
    text = test.text()
    check(1 in [calls(text, rank, "finalize") for rank in (0, 1)], "and is recorded")


def case_csh(test):
    if shutil.which("tcsh") is None:
        skip("needs tcsh")
    odd = os.path.join(test.folder, "it's run!1  of 2")
    with open(os.path.join(test.folder, "set.csh"), "w", encoding="utf-8") as script:
        script.write(test.slackline("preload", "--shell", "csh", "-o", odd).stdout)
    printed = test.run(["tcsh", "-fc", "source set.csh; printenv SLACKLINE_DIR"]).stdout
    check(printed == odd + "\n", f"the folder is {printed}")
    line = " ".join([*test.launcher(2), test.program("scenario"), "status"])
    done = test.run(["tcsh", "-fc", f'eval "`{test.arguments.slackline} preload --shell csh -o {test.output}`"; {line}'])
    check(done.returncode == 5, "a csh script's job runs with its own exit status")
    text = test.text()
    check(1 in [calls(text, rank, "finalize") for rank in (0, 1)], "and is recorded")


if __name__ == "__main__":
    run_case(globals())
