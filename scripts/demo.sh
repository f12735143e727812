#!/bin/sh
# `npm run demo`: builds syncer, then syncs a directory to its S3 server and compares the contents of both.
# Every command that is shown is really run, in a directory that is deleted afterwards.
. "$(dirname "$0")/demo/stage.sh"
build

heading 'A directory to sync'
while read -r size path; do
  mkdir -p "$(dirname "holiday/$path")"
  yes "$path" | head -c "$size" >"holiday/$path"
done <<'FILES'
1200 read me.txt
0 an empty file
9437184 video/harbour.mp4
3145728 video/street.mp4
2097152 music/side a/01 prelude.ogg
716800 music/side a/02 waltz.ogg
665600 music/side b/01 nocturne.ogg
92160 papers/2024/q1/report.pdf
71680 papers/2025/q1/report.pdf
4096 papers/2025/q1/figures/a.svg
300 odd names/100% sure?.txt
301 odd names/a+b & c=d.txt
302 odd names/#hash; semi.txt
303 odd names/it's "quoted".txt
304 odd names/-starts with a dash
305 odd names/größe.txt
306 odd names/写真.txt
307 odd names/🚢.txt
308 odd names/deep/er/and/deeper/bottom.txt
40960 photos/img_0001.jpg
64512 photos/img_0002.jpg
88064 photos/img_0003.jpg
FILES
echo "holiday: $(find holiday -type f | wc -l) files, $(du -sk holiday | cut -f 1) KiB"

heading 'An S3 server on this machine'
start_server demo

heading 'Sync the directory'
syncer sync holiday demo:bucket -P

heading 'Compare the contents of both sides'
syncer check holiday demo:bucket --checksum

heading 'What is there now'
syncer ls demo:bucket
syncer tree demo:bucket

# Syncs, and fails unless exactly so many files are copied and deleted.
sync_and_count() {
  show syncer sync holiday demo:bucket -v
  node "$program" sync holiday demo:bucket -v 2>sync.log || { cat sync.log; fail 'the sync failed'; }
  cat sync.log
  copied=$(grep -c ': Copied (' sync.log || true)
  deleted=$(grep -c ': Deleted$' sync.log || true)
  [ "$copied, $deleted" = "$1, $2" ] || fail "$copied files copied and $deleted deleted"
  echo "ok: $copied copied, $deleted deleted"
}

heading 'Sync again: nothing needs to be copied'
sync_and_count 0 0

heading 'Change one file, delete one, sync only that'
echo 'One more line.' >>'holiday/read me.txt'
rm holiday/photos/img_0002.jpg
echo 'changed holiday/read me.txt, deleted holiday/photos/img_0002.jpg'
sync_and_count 1 1
syncer check holiday demo:bucket --checksum

heading 'Your turn'
echo 'The demo stops its server and deletes its directory. Commands to try next:'
show "alias syncer=\"'$(command -v node)' '$root/dist/syncer.js'\""
show syncer help
show syncer sync DIRECTORY COPY --dry-run
show syncer serve s3 DIRECTORY --addr 127.0.0.1:9000 --auth-key KEY,SECRET
