#!/usr/bin/env bash
# Installs the programs that tests run beside syncer. Where that is impossible the tests which need one are skipped,
# and say so; that is no failure.
set -euo pipefail
"$(dirname "$0")/apt-install" rclone s3cmd tmux webhook fuse3 fio rsync sqlite3 || true
"$(dirname "$0")/apt-install" ncdu gdu zsh fish man-db litmus || true
# The server of queues.
"$(dirname "$0")/apt-install" redis-server || true
# A systemd to install services in, and programs for arm64 with what they are linked to.
"$(dirname "$0")/apt-install" systemd-container || true
"$(dirname "$0")/apt-install" qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross libgcc-s1-arm64-cross || true
# Remotes that go through rclone, and servers of some of their types.
"$(dirname "$0")/newer-rclone" || true
"$(dirname "$0")/apt-install" openssh-server openssh-client vsftpd || true
