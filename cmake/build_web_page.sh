#!/usr/bin/env bash
# build_web_page.sh WEB OUT: builds the page in WEB into OUT/index.html. The packages in
# WEB/node_modules are shared by all build directories, so only one build at a time may install them.
set -eu
web=$1
out=$2
cd "$web"
installed=node_modules/.package-lock.json
(
  flock 9
  if [ ! -e "$installed" ] || [ package-lock.json -nt "$installed" ]; then
    npm ci --loglevel=error || {
      echo "Cannot install the web page's packages (npm ci failed in $web). Is the network there?" >&2
      exit 1
    }
    touch "$installed"
  fi
) 9<"$web"
exec npm run --silent bundle -- --logLevel warn --emptyOutDir --outDir "$out"
