#!/usr/bin/env bash
# base_system.sh SOURCE SCRATCH: the README's `./dev demo` on a machine that has the base system of a release of Debian
# (DEBIAN_RELEASE, default bookworm) and nothing else, and once more when one of the packages of tests, but not all of
# them, is there; then test/special_files in it. The machine is a folder that debootstrap fills from DEBIAN_MIRROR. Needs
# root, debootstrap, the network and half an hour; exit status 77 where one is missing.
set -euo pipefail
source="$1" scratch="$2"

skip() { echo "SKIPPED: $*"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "only root can make a system in a folder"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"

# In a mount namespace of its own, so that nothing stays mounted.
if [ "${3:-}" != inside ]; then exec unshare --mount "$0" "$source" "$scratch" inside; fi

root="$scratch/root"
rm -rf "$scratch"
mkdir -p "$scratch"
trap 'umount "$root/proc" "$root/dev/shm" "$root/dev/pts" "$root" 2>/dev/null; rm -rf --one-file-system "$scratch"' EXIT
debootstrap --variant=minbase "${DEBIAN_RELEASE:-bookworm}" "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$scratch/debootstrap.log" 2>&1 ||
  skip "debootstrap failed (no network?): $(tail -n 1 "$scratch/debootstrap.log")"

# A mount of its own, as a container's root is: mount namespaces inside need it.
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t devpts devpts "$root/dev/pts"
cp /etc/resolv.conf "$root/etc/resolv.conf"
# Where a proxy signs for others, its certificate is among this machine's.
mkdir -p "$root/etc/ssl/certs"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/machine.crt"
mkdir "$root/slackline"
(cd "$source" && git ls-files -z | tar --null --files-from=- -c) | tar -x -C "$root/slackline"

inside() {
  chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/machine.crt "$@"
}
demo() {
  rm -rf "$root/slackline/slackline-demo"
  inside bash -c 'cd /slackline && ./dev demo' || { echo "FAILED: ./dev demo $1"; exit 1; }
  [ -s "$root/slackline/slackline-demo/report.html" ] || { echo "FAILED: no page $1"; exit 1; }
}

SECONDS=0
demo "on the base system"
echo "From the sources to the page: $SECONDS s, packages included"
inside dpkg -s libgtest-dev >/dev/null 2>&1 && { echo "FAILED: the demo installs packages of tests"; exit 1; }
inside apt-get install -y -q --no-install-recommends libgtest-dev >/dev/null
demo "with GoogleTest but without the other packages of tests"

# Every command, as root in this image, with every kind of file as its input and its output.
inside bash -c 'cd /slackline && python3 test/special_files/run.py --binary build/slackline --source .'
