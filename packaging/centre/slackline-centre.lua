-- An Lmod module that analyses every job above a size: doc/batch-systems.md, "All jobs of a centre".
help("Analyses MPI jobs of 64 ranks and more while they run, and keeps a summary of 2 KiB of each")
whatis("Name: slackline-centre")
local launchers = "/opt/slackline/0.2.0/share/slackline/centre/launchers"
prepend_path("PATH", "/opt/slackline/0.2.0/bin")
prepend_path("PATH", launchers)
setenv("SLACKLINE_CENTRE_SPOOL", "/var/spool/slackline/spool")
setenv("SLACKLINE_CENTRE_LEAST", "64")
setenv("SLACKLINE_CENTRE_MOST", "4096")
setenv("SLACKLINE_CENTRE_SIZE", "256MiB")
setenv("SLACKLINE_CENTRE_TIME", "1%")
setenv("SLACKLINE_CENTRE_MEMORY", "4GiB")
