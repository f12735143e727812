#!/usr/bin/env bash
# Installs the programs that tests run beside syncer. Where that is impossible the tests which need one are skipped,
# and say so; that is no failure.
set -euo pipefail
"$(dirname "$0")/apt-install" rclone s3cmd tmux webhook || true
