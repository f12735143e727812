import type { FlagDefinition } from '../../core/flags.ts';

/** Flags that do nothing: types with their names, and why. These ask for something. */
const ASKING = `
bool inplace: a file appears under its name only when it is complete
string partial-suffix: temporary files have hidden names of their own
size max-buffer-memory: buffers are small and their number is limited
bool ignore-listing-checksum slow-hash-sync-only
  no-slow-hash: hashes are kept with --compare checksum only
bool download-hash: contents without a common hash are read and compared
bool use-cookies: no backend needs cookies
string dscp: the system marks packets
list fuse-flag: libfuse is not used; --option has mount options
bool vfs-block-norm-dupes: names that differ in Unicode form are different files
bool syslog, string syslog-facility: the log goes to standard error or --log-file
string cpuprofile memprofile: use node --cpu-prof and --heap-prof
bool rc rc-enable-metrics rc-no-auth rc-serve rc-serve-no-modtime rc-web-gui rc-web-gui-update
  rc-web-gui-force-update rc-web-gui-no-open-browser, string rc-addr rc-allow-origin rc-baseurl
  rc-cert rc-client-ca rc-files rc-htpasswd rc-key rc-min-tls-version rc-pass rc-realm rc-salt
  rc-template rc-user rc-user-from-header rc-web-fetch-url, duration rc-job-expire-duration
  rc-job-expire-interval rc-server-read-timeout rc-server-write-timeout, int rc-max-header-bytes,
  list rc-response-header: no remote control server; see "syncer attach"
list metrics-addr metrics-response-header, string metrics-allow-origin metrics-baseurl metrics-cert
  metrics-client-ca metrics-htpasswd metrics-key metrics-min-tls-version metrics-pass metrics-realm
  metrics-salt metrics-template metrics-user metrics-user-from-header, duration
  metrics-server-read-timeout metrics-server-write-timeout, int
  metrics-max-header-bytes: no server for metrics`;

/** They do not change the result of a run in rclone either. */
const TUNING = `
size multi-thread-chunk-size: ranges are chosen by the size of the file
size multi-thread-write-buffer-size buffer-size: buffer sizes are automatic
bool resilient recover: every run of bisync continues where the last one ended
bool no-cleanup: bisync writes no working files
string temp-dir: no temporary directory is used
bool use-mmap: Node manages memory
bool disable-http2: all requests are HTTP/1.1
bool no-gzip-encoding: compressed responses are never requested
bool no-console: no console window to hide
int max-stats-groups: there is only one stats group
duration fs-cache-expire-duration fs-cache-expire-interval: a remote lives as long as the command
duration kv-lock-time: no key-value database
bool mount-case-insensitive: only for mounts on macOS and Windows; see --vfs-case-insensitive
bool network-mode noappledouble noapplexattr: only for mounts on macOS and Windows`;

/** Of `serve http` and `serve webdav`: they ask for something. */
const SERVED_ASKING = `
string vfs-cache-mode, duration vfs-write-back: serve has no cache: each request asks the remote
string dir-perms file-perms link-perms umask, int uid gid: clients see no owners and permissions
size vfs-disk-space-total-size, bool vfs-used-is-size: the remote reports its own figures`;

/** Of `serve http` and `serve webdav`: as `TUNING`. */
const SERVED_TUNING = `
duration dir-cache-time poll-interval vfs-cache-max-age vfs-cache-poll-interval vfs-handle-caching
  vfs-read-wait vfs-write-wait, size vfs-cache-max-size vfs-cache-min-free-space vfs-read-ahead
  vfs-read-chunk-size vfs-read-chunk-size-limit, int vfs-read-chunk-streams, bool
  vfs-fast-fingerprint vfs-refresh: serve has no cache: each request asks the remote
bool no-checksum: uploads are always verified
string salt: the password of --pass is kept in memory only`;

/** A name, or a number up to 63. */
const DSCP_NAME = /^(?:BE|DF|LE|EF|CS[0-6]|AF[1-4][1-3]|0*(?:[1-5]?\d|6[0-3]))?$/i;

/** What else the definitions of some have. */
const MORE: Readonly<Record<string, Partial<FlagDefinition>>> = {
  dscp: {
    check: (text) =>
      DSCP_NAME.test(text) ? undefined : `"${text}" is not a DSCP name, as CS1, AF11, LE or EF`,
  },
  syslog: { losesLog: true },
  'fs-cache-expire-duration': { needsUnit: true },
  'fs-cache-expire-interval': { needsUnit: true },
  'kv-lock-time': { needsUnit: true },
};

function* flagsOf(text: string, prefix: string, shared: Partial<FlagDefinition>) {
  for (const row of text.trim().split(/\n(?! )/)) {
    const [, flags = '', why] = /^(.*?): (.*)$/s.exec(row) ?? [];
    const help = `Ignored, for compatibility with rclone: ${why}`;
    for (const [type, ...names] of flags.split(',').map((some) => some.trim().split(/\s+/))) {
      for (const name of names) {
        const flag = { type, group: 'accepted', help, name, ...MORE[name], ...shared };
        yield [`${prefix}${name}`, flag as FlagDefinition] as const;
      }
    }
  }
}

const commands = ['serve http', 'serve webdav'];

/**
 * rclone's flags without a meaning here. Scripts with them still work; a run logs once which of them are ignored. The
 * table of flags has them without their names: no code reads them.
 */
export const ACCEPTED_FLAGS: Readonly<Record<string, FlagDefinition>> = Object.fromEntries([
  ...flagsOf(ASKING, '', {}),
  ...flagsOf(TUNING, '', { isHint: true }),
  ...flagsOf(SERVED_ASKING, 'served-', { commands }),
  ...flagsOf(SERVED_TUNING, 'served-', { commands, isHint: true }),
]);
