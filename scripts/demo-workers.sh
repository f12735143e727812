#!/bin/sh
# `npm run demo:workers`: one sync between two buckets, shared by three workers on this machine, one of which is killed
# while it copies. Starts a Redis, an S3 server and the workers in a directory that is gone afterwards, and proves that
# both buckets are equal.
. "$(dirname "$0")/demo/stage.sh"
build

heading 'A queue: Redis on a Unix socket'
command -v redis-server >/dev/null ||
  fail 'redis-server is not installed; run: apt-get install redis-server'
show redis-server --port 0 --unixsocket redis.sock --appendonly yes
start redis-server --port 0 --unixsocket "$stage/redis.sock" --save '' --appendonly yes --logfile redis.log
wait_until [ -S redis.sock ] || fail 'redis-server does not answer'
queue="unix:$stage/redis.sock"

heading 'An S3 server with two buckets'
for i in $(seq 30); do
  mkdir -p "store/data/$i" "store/copies/$i"
  seq "${i}00000" 9999999 | head -c 1310720 | split -b 32768 - "store/data/$i/object-"
  seq "${i}50000" 9999999 | head -c 98304 | split -b 32768 - "store/copies/$i/extra-"
done
start_server lake copy
echo 'lake:data has 1200 objects, copy:copies has 90 others'

heading 'Three workers'
set -- worker "$queue" --allow 'lake:data -> copy:copies' --bwlimit 2M
show syncer "$@" '   # three times'
start node "$program" "$@"
worker=$!
start node "$program" "$@"
start node "$program" "$@"

heading 'One sync, which only watches them'
set -- sync lake:data copy:copies --queue "$queue" --no-work --stats 2s
show syncer "$@"
start node "$program" "$@"
sync=$!
a_tenth_is_copied() {
  [ "$(find store/copies -name 'object-*' | wc -l)" -ge 120 ]
}
wait_until a_tenth_is_copied || fail 'nothing is copied'

heading 'One of the workers is killed'
# With the programs it has started, as a power cut.
set -- "$worker" $(cat "/proc/$worker/task/$worker/children")
show kill -9 "$@"
kill -9 "$@"
wait "$sync" || fail "the sync failed (exit $?)"

heading 'Prove that both buckets are equal'
syncer check lake:data copy:copies --download
echo 'ok: every object was copied, and extra objects were deleted'
