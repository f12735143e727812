/**
 * What Debian runs when the package with the service comes and goes, in the way of `dh_installsystemd`: where systemd
 * does not run, or another system is set up in a folder, nothing is started.
 */
export const SERVICE_SCRIPTS: Readonly<Record<string, string>> = {
  postinst: `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  hooks="$DPKG_ROOT/etc/webhook.conf"
  settings="$DPKG_ROOT/etc/default/syncer-webhook"
  state="$DPKG_ROOT/var/lib/syncer-webhook"
  if [ ! -e "$hooks" ]; then
    mkdir -p "$state" "$DPKG_ROOT/etc"
    (umask 077 && echo '[]' >"$hooks")
    : >"$state/made-hooks"
  fi
  if [ ! -e "$settings" ]; then
    port=9191
    # The service that this one replaces listens on 9000.
    case $(dpkg-query --show --showformat='\${db:Status-Status}' webhook 2>/dev/null || true) in
      installed | config-files) port=9000 ;;
    esac
    mkdir -p "$DPKG_ROOT/etc/default"
    echo "# The port of webhook.service. Then run: systemctl restart webhook" >"$settings"
    echo "PORT=$port" >>"$settings"
    echo "webhook.service listens on port $port: change it in /etc/default/syncer-webhook"
  fi
fi
if [ "$1" = configure ] && [ -z "\${DPKG_ROOT:-}" ]; then
  if command -v deb-systemd-helper >/dev/null; then
    deb-systemd-helper unmask webhook.service >/dev/null || true
    if deb-systemd-helper --quiet was-enabled webhook.service; then
      deb-systemd-helper enable webhook.service >/dev/null || true
    else
      deb-systemd-helper update-state webhook.service >/dev/null || true
    fi
  fi
  if [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload >/dev/null || true
    if [ -n "$2" ]; then action=restart; else action=start; fi
    deb-systemd-invoke "$action" webhook.service >/dev/null || true
  fi
fi
`,
  prerm: `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -z "\${DPKG_ROOT:-}" ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop webhook.service >/dev/null || true
fi
`,
  postrm: `#!/bin/sh
set -e
if [ "$1" = purge ]; then
  state="$DPKG_ROOT/var/lib/syncer-webhook"
  # A hook file that was there before this package stays.
  if [ -e "$state/made-hooks" ]; then rm -f "$DPKG_ROOT/etc/webhook.conf"; fi
  rm -rf "$state" "$DPKG_ROOT/etc/default/syncer-webhook"
fi
if [ -z "\${DPKG_ROOT:-}" ]; then
  if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload >/dev/null || true
  fi
  if command -v deb-systemd-helper >/dev/null; then
    if [ "$1" = remove ]; then deb-systemd-helper mask webhook.service >/dev/null || true; fi
    if [ "$1" = purge ]; then
      deb-systemd-helper purge webhook.service >/dev/null || true
      deb-systemd-helper unmask webhook.service >/dev/null || true
    fi
  fi
fi
`,
};
