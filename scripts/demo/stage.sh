# What both demos are made of: a directory of their own, the programs that run in it, and what the screen shows.
# Nothing of either is left at the end. An argument of a demo names another program to run, and nothing is built.
set -eu
umask 077
root=$(cd "$(dirname "$0")/.." && pwd)
# The Node that is installed as a package.
PATH="$root/node_modules/.bin:$PATH"
program=${1:-$root/dist/syncer.js}
stage=$(mktemp -d "${TMPDIR:-/tmp}/syncer-demo-XXXXXX")
running=

clear_stage() {
  trap '' HUP INT TERM
  cd "$root"
  [ -z "$running" ] || kill $running 2>/dev/null || true
  wait
  rm -rf "$stage"
}
trap clear_stage EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# The programs see no configuration but that of the demo.
unset $(env | sed -n 's/^\(SYNCER_[A-Z0-9_]*\)=.*/\1/p')
export SYNCER_CONFIG="$stage/syncer.conf" XDG_CACHE_HOME="$stage/cache" XDG_STATE_HOME="$stage/state"
export NO_PROXY=127.0.0.1 no_proxy=127.0.0.1
cd "$stage"

strong= plain=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
  strong=$(printf '\033[1m') plain=$(printf '\033[0m')
fi
number=0

heading() {
  number=$((number + 1))
  printf '\n%s--- %d. %s ---%s\n' "$strong" "$number" "$1" "$plain"
}

# A command line that is about to be run, or could be.
show() {
  printf '%s$ %s%s\n' "$strong" "$*" "$plain"
}

fail() {
  echo "demo: $1" >&2
  exit 1
}

build() {
  [ "$program" = "$root/dist/syncer.js" ] || return 0
  heading 'Build'
  # Other users may run what is built.
  (umask 022 && node "$root/scripts/start.mjs" "$root/scripts/build.ts") || fail 'syncer was not built'
}

syncer() {
  show syncer "$@"
  node "$program" "$@" || fail "that step failed (exit $?)"
}

# Starts a program that ends with the demo.
start() {
  "$@" &
  running="$running $!"
}

# Runs a command until it succeeds, for a minute at most.
wait_until() {
  for attempt in $(seq 600); do
    ! "$@" || return 0
    sleep 0.1
  done
  return 1
}

# Starts the S3 server, and writes a configuration with remotes of these names.
start_server() {
  mkdir -p store
  set -- "$@" serve s3 store --addr 127.0.0.1:0 --auth-key demo-key,demo-secret
  names=
  while [ "$1" != serve ]; do
    names="$names $1"
    shift
  done
  show syncer "$@"
  start node "$program" "$@" 2>server.log
  wait_until grep -q 'http://127\.0\.0\.1:[0-9]' server.log || fail 'the server does not answer'
  for name in $names; do
    cat <<CONFIG
[$name]
type = s3
provider = Other
access_key_id = demo-key
secret_access_key = demo-secret
endpoint = $(grep -o 'http://127\.0\.0\.1:[0-9]*' server.log)
CONFIG
  done >syncer.conf
  printf '\nsyncer.conf, which the commands below read:\n\n'
  sed 's/^/  /' syncer.conf
}
