/** A command and what to see also, then its examples. */
export const EXAMPLES = `copy: sync, copyto, check, filters
  syncer copy ~/Documents shelf:documents -P  # Upload new and changed files
  syncer copy shelf:photos ~/photos --include '*.jpg'  # Download the JPEG files only
sync: copy, check, filters
  syncer sync ~/Documents shelf:documents --review  # Review the plan, then apply it
  syncer sync ~/Documents shelf:documents --backup-dir shelf:old  # Keep deleted and overwritten files in another directory
move: copy, moveto, filters
  syncer move ~/scans shelf:scans -P  # Upload files and delete them locally
  syncer move shelf:inbox shelf:archive --min-age 30d  # Archive files that are older than 30 days
bisync: sync, check, filters
  syncer bisync ~/Documents shelf:documents  # Make both equal; the first run deletes nothing
  syncer bisync ~/notes shelf:notes --conflict-resolve path1  # If both sides changed a file, keep the local one
copyto: copy
  syncer copyto report.pdf shelf:reports/2026.pdf  # Upload a file under another name
  syncer copyto shelf:docs/a.txt shelf:docs/b.txt  # Duplicate an object
moveto: move
  syncer moveto shelf:docs/a.txt shelf:docs/b.txt  # Rename a file
  syncer moveto shelf:docs/draft shelf:docs/final --dry-run  # Show what renaming a directory does
convmv: move, moveto
  syncer convmv shelf:docs --name-transform lowercase --dry-run  # Show what names would become
  syncer convmv shelf:docs --name-transform all,replace=_:-  # Rename files and directories
apply: sync, copy
  syncer apply plan.json --review  # Print a saved plan
  syncer apply plan.json -P  # Make its changes, with progress
run: job
  syncer run documents -P  # Run the job "documents" with progress
  syncer run documents --check  # Compare its two paths
job: run
  syncer job documents -- sync ~/Documents shelf:documents --exclude '*.tmp'  # Save a job
  syncer job documents --print-unit --schedule hourly  # Print a systemd service and timer
guard: sync
  syncer guard init /mnt/photos  # Mark a directory; --guard marker of sync looks for it
  syncer guard init shelf:photos  # Mark a directory of a remote
guard init: sync
  syncer guard init /mnt/photos  # Mark a directory; --guard marker of sync looks for it
  syncer guard init shelf:photos  # Mark a directory of a remote
check: checksum, sync
  syncer check ~/Documents shelf:documents  # Compare sizes and times
  syncer check ~/Documents shelf:documents --download --differ differ.txt  # Compare contents, and list differing files in differ.txt
why: sync, check, filters
  syncer why ~/Documents shelf:documents a/b.txt  # Explain what a sync would do with the file
  syncer why ~/Documents shelf:documents a/b.txt --as copy --exclude-from rules.txt  # With a filter, for a copy
checksum: hashsum, check
  syncer checksum sha256 SHA256SUMS shelf:release  # Verify the files of a release
  syncer checksum md5 - ~/backup < backup.md5  # Read the SUM file from standard input
scrub: check, hashsum
  syncer scrub /data --budget 100G --every 90d  # Each night, verify the 100 GiB that wait longest
  syncer scrub /data --with backup:data  # Say which side of a suspect file is right
ls: lsf, lsjson, tree, filters
  syncer ls shelf:documents  # List all files
  syncer ls shelf: --include '*.iso' --min-size 1G  # List large disk images
lsl: lsf, lsjson, tree, filters
  syncer lsl shelf:documents  # List all files with times
  syncer lsl shelf:documents --max-age 7d  # List files changed in the last week
lsd: lsf, lsjson, tree, filters
  syncer lsd shelf:  # List buckets
  syncer lsd shelf:documents -R  # List directories at all levels
lsf: lsjson, filters
  syncer lsf shelf:documents  # List names, one per line
  syncer lsf -R --format tsp --separator ';' shelf:documents  # List time, size and path
lsjson: lsf
  syncer lsjson shelf:documents  # List one level as JSON
  syncer lsjson -R --hash --files-only shelf:documents  # List all files with hashes
tree: ncdu, size
  syncer tree shelf:documents  # Print the tree
  syncer tree shelf: --dirs-only --level 2  # Print two levels of directories
size: ncdu, about
  syncer size shelf:documents  # Print number and total size
  syncer size shelf: --max-age 30d --json  # Print the size of recent files as JSON
ncdu: size, tree
  syncer ncdu shelf:  # Browse a remote
  syncer ncdu shelf: --diff 30d  # Show what has changed in a month
cat: rcat
  syncer cat shelf:documents/notes.txt  # Print a file
  syncer cat shelf:logs/today.log --tail 1000  # Print the last 1000 bytes
rcat: cat, copyto
  tar cz ~/Documents | syncer rcat shelf:backup/home.tar.gz  # Upload an archive as it is made
  date | syncer rcat shelf:backup/last-run.txt  # Write a short file
md5sum: checksum, check
  syncer md5sum shelf:documents  # Print the MD5 of all files
  syncer md5sum shelf:documents --output-file documents.md5  # Write a SUM file
sha1sum: checksum, check
  syncer sha1sum ~/Documents  # Print the SHA-1 of all files
  syncer sha1sum shelf:documents --download  # Download files that have no stored SHA-1
hashsum: checksum, check
  syncer hashsum  # List the supported hashes
  syncer hashsum sha256 ~/Documents  # Print the SHA-256 of all files
mkdir: rmdir
  syncer mkdir shelf:photos  # Create a bucket or directory
  syncer mkdir ~/backup/2026  # Create a local directory
rmdir: rmdirs, purge
  syncer rmdir shelf:photos  # Delete an empty bucket or directory
  syncer rmdir shelf:photos --dry-run  # Show whether it would be deleted
rmdirs: rmdir
  syncer rmdirs ~/Documents --dry-run  # Show which directories are empty
  syncer rmdirs shelf:inbox --leave-root  # Keep the directory inbox itself
delete: purge, deletefile, filters
  syncer delete shelf:logs --include '*.log' --dry-run  # Show what would be deleted
  syncer delete shelf:logs --min-age 90d  # Delete files older than 90 days
deletefile: delete
  syncer deletefile shelf:documents/old.txt  # Delete a file
  syncer deletefile shelf:documents/old.txt -i  # Ask first
purge: delete, rmdir
  syncer purge shelf:old --dry-run  # Show what would be deleted
  syncer purge shelf:old --max-delete 100  # Delete nothing if there are more than 100 files
history: sync, home
  syncer history 7k3f  # List what the run with this ID changed
  syncer history photos:2024  # List the runs that changed something there
undo: history, sync
  syncer undo 7k3f --review  # Show what would be restored, and choose
  syncer undo 7k3f documents/a.txt  # Undo the changes of one file
trash: undo, history, size
  syncer trash ls shelf:documents  # List deleted and replaced files that are kept
  syncer trash restore shelf:documents letters  # Restore a directory
trash ls: history, size
  syncer trash ls shelf:documents --run 7k3f  # List what one run deleted or replaced
  syncer trash ls shelf:documents --json  # List all as JSON
trash restore: undo, trash ls
  syncer trash restore shelf:documents letters/a.txt  # Restore a file
  syncer trash restore shelf:documents --run 7k3f --dry-run  # Show what would be restored of one run
trash empty: trash ls, versions prune
  syncer trash empty shelf:documents --older-than 30d  # Delete what was deleted more than 30 days ago
  syncer trash empty shelf:documents --dry-run  # Show what would be deleted
touch
  syncer touch shelf:documents/stamp  # Set the time to now, or create an empty file
  syncer touch -t 2026-01-31T12:00:00 ~/report.pdf  # Set this time (UTC)
about: size
  syncer about work-drive:  # Print quota and used space
  syncer about work-drive: --json  # Print bytes as JSON
copyurl: copyto
  syncer copyurl https://example.com/a.iso shelf:images/a.iso -P  # Store a download
  syncer copyurl https://example.com/a.iso shelf:images --auto-filename  # Keep its name
link
  syncer link shelf:documents/report.pdf  # Print a link
  syncer link shelf:documents/report.pdf --expire 1d  # Print a link valid for a day
dedupe: delete
  syncer dedupe list --by-hash shelf:photos  # List files with equal contents
  syncer dedupe newest --by-hash shelf:photos --dry-run  # Show what keeping the newest does
settier: filters
  syncer settier GLACIER shelf:archive  # Move all files of a directory
  syncer settier STANDARD_IA shelf:logs --min-age 30d  # Move older files
cleanup
  syncer cleanup shelf:documents  # Delete leftovers older than a day
  syncer cleanup shelf: --older-than 2h --dry-run  # Show what would be cleaned up
versions: size, uploads
  syncer versions ls shelf:photos  # List all versions of all files
  syncer versions prune shelf:photos --keep 3 --older-than 30d --dry-run  # Show what would be deleted
versions ls: size
  syncer versions ls shelf:photos/a.jpg  # List the versions of one file
  syncer versions ls shelf:photos --json  # List all versions as JSON
versions restore: versions ls
  syncer versions restore shelf:photos/a.jpg  # Restore the version before the current one, or a deleted file
  syncer versions restore shelf:photos --at 2026-11-01 --dry-run  # Show what would be restored as it was then
versions prune: versions ls, size
  syncer versions prune shelf:photos --keep 3  # Keep the current file and three old versions
  syncer versions prune shelf:photos --older-than 30d --guard count=5000  # From cron: stop if it is more than that
uploads: cleanup
  syncer uploads ls shelf:photos  # List unfinished uploads
  syncer uploads abort shelf:photos --older-than 7d --dry-run  # Show which would be aborted
uploads ls: cleanup
  syncer uploads ls shelf:  # List unfinished uploads in all buckets
  syncer uploads ls shelf:photos --older-than 1d --json  # List those older than a day as JSON
uploads abort: cleanup
  syncer uploads abort shelf:photos/film.mp4  # Abort the uploads of one file
  syncer uploads abort shelf:photos --older-than 7d  # Abort uploads older than a week
backend: cleanup
  syncer backend restore shelf:archive -o priority=Standard -o lifetime=7  # Restore archived objects for a week
  syncer backend versioning shelf:photos Enabled  # Keep old versions
obscure: config password
  syncer obscure -  # Type a password, get the obscured form
  pass show shelf | syncer obscure -  # Read the password from another program
serve: mount
  syncer serve s3 ~/store --addr 127.0.0.1:9000 --auth-key my-key,my-secret  # Serve a directory on this computer only
  syncer serve http shelf:photos --addr :8080 --user me --pass my-secret  # Show a remote in browsers
serve s3: serve http, mount
  syncer serve s3 ~/store --addr 127.0.0.1:9000 --auth-key my-key,my-secret  # Serve a directory on this computer only
  syncer serve s3 ~/store --addr :9000 --auth-key my-key,my-secret --read-only  # Read-only
serve webdav: serve http, mount
  syncer serve webdav shelf:docs --addr :8080 --user me --pass my-secret --cert my.pem --key my.key  # With TLS
  syncer serve webdav ~/docs --addr :8080 --htpasswd users --read-only  # Read-only, for the users of a file
serve http: serve webdav, serve s3
  syncer serve http shelf:photos --addr :8080 --user me --pass my-secret  # Show a remote in browsers
  syncer serve http ~/public --exclude '*.tmp' --disable-zip  # Leave files out
listremotes: config
  syncer listremotes  # List names
  syncer listremotes --long  # List names and types
authorize: config reconnect
  syncer authorize onedrive  # Log in here, and paste the token on the other machine
  syncer authorize onedrive --device  # Log in with a code, on any device
ps: attach, mounts
  syncer ps  # List running runs, with how far they are
  syncer ps --json  # List them as JSON
attach: ps, stop
  syncer attach  # Watch the only running run; q leaves it
  syncer attach 7k3f --queue rediss://syncer@queue.example  # Watch a run of many machines
pause: resume, ps
  syncer pause 7k3f  # Pause the run whose id ends with 7k3f
  syncer pause 20261121-113012-7k3f  # Pause the run with this id
resume: pause, ps
  syncer resume 7k3f  # Let the run whose id ends with 7k3f go on
  syncer resume 20261121-113012-7k3f  # Let the run with this id go on
stop: ps, pause
  syncer stop 7k3f  # Stop a run after its current files
  syncer stop 7k3f --now  # Stop it immediately, and wait for its end
worker: sync, ps
  syncer worker rediss://syncer@queue.example  # Work on what others add with sync --queue
  syncer worker unix:/run/redis.sock --allow 'lake: -> copy:backup'  # Only from lake: to below copy:backup
unlock: ps, sync
  syncer unlock b:data 20261121-113012-7k3f  # Free b:data from the lock of a run that is gone
  syncer unlock b: 20261121-113012-7k3f --http-proxy http://proxy:3128  # The same through a proxy
set: ps, attach
  syncer set 7k3f transfers=8  # Transfer 8 files in parallel from now on
  syncer set 7k3f bwlimit=off  # Lift the bandwidth limit
mount: mounts, unmount
  syncer mount shelf:documents ~/shelf --vfs-cache-mode writes  # Mount until Ctrl-C
  syncer mount shelf:documents ~/shelf --daemon  # Mount in the background
mounts: mount, unmount
  syncer mounts  # List mounts
  syncer mounts --json  # List them as JSON
unmount: mount, mounts
  syncer unmount ~/shelf  # Unmount; uploads continue in the background
  syncer unmount ~/shelf --wait  # Finish all uploads first
hooks: hooks list, hooks history
  syncer hooks  # Watch the hook server of this computer
  syncer hooks history deploy  # List the runs of one hook
hooks list: hooks history
  syncer hooks list  # List hooks
  syncer hooks list --json  # List them as JSON
hooks history: hooks show
  syncer hooks history  # List all runs
  syncer hooks history deploy  # List the runs of one hook
hooks show: hooks history, hooks follow
  syncer hooks show mwqcol15-0004  # Show a run
  syncer hooks show mwqcol15-0004 --json  # Show it as JSON
hooks follow: hooks show
  syncer hooks follow mwqcol15-0004  # Print its output until it ends
  syncer hooks follow mwqcol15-0004 && echo deployed  # Do something if it succeeds
hooks rerun: hooks history
  syncer hooks rerun mwqcol15-0004  # Run it again
  syncer hooks rerun mwqcol15-0004 --json  # Print the result as JSON
completion: genautocomplete
  source <(syncer completion bash)  # In bash, for the current shell
  syncer completion fish | source  # In fish
completion bash: genautocomplete
  source <(syncer completion bash)  # Complete in the current shell
  syncer completion bash syncer-completion  # Write the script to a file
completion zsh: genautocomplete
  source <(syncer completion zsh)  # Complete in the current shell
  syncer completion zsh syncer-completion  # Write the script to a file
completion fish: genautocomplete
  syncer completion fish | source  # Complete in the current shell
  syncer completion fish syncer-completion  # Write the script to a file
completion powershell: genautocomplete
  syncer completion powershell | Out-String | Invoke-Expression  # Complete in the current shell
  syncer completion powershell syncer-completion  # Write the script to a file
genautocomplete: completion
  sudo syncer genautocomplete bash  # Install for all users of bash
  syncer genautocomplete zsh ~/.zsh/_syncer  # Write to another file
genautocomplete bash: completion
  sudo syncer genautocomplete bash  # Install for all users
  syncer genautocomplete bash ~/.local/share/bash-completion/completions/syncer  # Install for yourself
genautocomplete zsh: completion
  sudo syncer genautocomplete zsh  # Install for all users
  syncer genautocomplete zsh ~/.zsh/_syncer  # Install for yourself
genautocomplete fish: completion
  sudo syncer genautocomplete fish  # Install for all users
  syncer genautocomplete fish ~/.config/fish/completions/syncer.fish  # Install for yourself
gendocs
  syncer gendocs docs  # Write Markdown
  syncer gendocs --man /usr/local/share/man/man1  # Write man pages
demo: home, ncdu
  syncer demo  # Go through the first steps
  SYNCER_PLAIN=1 syncer demo  # The same as lines of text, for screen readers
home: config, ncdu
  syncer  # Open it
  SYNCER_PLAIN=1 syncer home  # Open it as lines of text, for screen readers
doctor: config, about, mounts
  syncer doctor  # Check the program, its directories, mounts and the configuration
  syncer doctor photos:holidays --write  # Also check a remote, by writing to it
version: doctor
  syncer version  # Print the version
  syncer --version  # The same
help: commands, flags, filters, backends
  syncer help sync  # Help on a command
  syncer help flags filter  # The flags of one group
`;
