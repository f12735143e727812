import type { FlagDefinition } from './flag-definition.ts';

/** Flags that do nothing, their type, why, and what else their definition has. */
type Row = readonly [
  names: readonly string[],
  type: FlagDefinition['type'],
  why: string,
  more?: Pick<FlagDefinition, 'check' | 'needsUnit' | 'losesLog'>,
];

const ON_MACOS = 'only for mounts on macOS and Windows';
const SERVES_NONE = 'no remote control server; see "syncer attach"';
const NO_METRICS = 'no server for metrics';
const NO_CACHE_OF_FILES = 'serve has no cache: each request asks the remote';
const NO_OWNERS = 'clients see no owners and permissions';
const ANSWERED_HERE = 'the remote reports its own figures';

/** They ask for something. */
const ASKING = [
  [['inplace'], 'bool', 'a file appears under its name only when it is complete'],
  [['partial-suffix'], 'string', 'temporary files have hidden names of their own'],
  [['max-buffer-memory'], 'size', 'buffers are small and their number is limited'],
  [
    ['ignore-listing-checksum', 'slow-hash-sync-only', 'no-slow-hash'],
    'bool',
    'hashes are kept with --compare checksum only',
  ],
  [['download-hash'], 'bool', 'contents without a common hash are read and compared'],
  [['use-cookies'], 'bool', 'no backend needs cookies'],
  [['dscp'], 'string', 'the system marks packets', { check: wrongDscp }],
  [['fuse-flag'], 'list', 'libfuse is not used; --option has mount options'],
  [['vfs-block-norm-dupes'], 'bool', 'names that differ in Unicode form are different files'],
  [['syslog'], 'bool', 'the log goes to standard error or --log-file', { losesLog: true }],
  [['syslog-facility'], 'string', 'the log goes to standard error or --log-file'],
  [['cpuprofile', 'memprofile'], 'string', 'use node --cpu-prof and --heap-prof'],
  [['rc', 'rc-enable-metrics', 'rc-no-auth', 'rc-serve'], 'bool', SERVES_NONE],
  [['rc-serve-no-modtime', 'rc-web-gui', 'rc-web-gui-update'], 'bool', SERVES_NONE],
  [['rc-web-gui-force-update', 'rc-web-gui-no-open-browser'], 'bool', SERVES_NONE],
  [['rc-addr', 'rc-allow-origin', 'rc-baseurl', 'rc-cert'], 'string', SERVES_NONE],
  [['rc-client-ca', 'rc-files', 'rc-htpasswd', 'rc-key'], 'string', SERVES_NONE],
  [['rc-min-tls-version', 'rc-pass', 'rc-realm', 'rc-salt'], 'string', SERVES_NONE],
  [['rc-template', 'rc-user', 'rc-user-from-header'], 'string', SERVES_NONE],
  [['rc-web-fetch-url'], 'string', SERVES_NONE],
  [['rc-job-expire-duration', 'rc-job-expire-interval'], 'duration', SERVES_NONE],
  [['rc-server-read-timeout', 'rc-server-write-timeout'], 'duration', SERVES_NONE],
  [['rc-max-header-bytes'], 'int', SERVES_NONE],
  [['rc-response-header'], 'list', SERVES_NONE],
  [['metrics-addr', 'metrics-response-header'], 'list', NO_METRICS],
  [['metrics-allow-origin', 'metrics-baseurl', 'metrics-cert'], 'string', NO_METRICS],
  [['metrics-client-ca', 'metrics-htpasswd', 'metrics-key'], 'string', NO_METRICS],
  [['metrics-min-tls-version', 'metrics-pass', 'metrics-realm'], 'string', NO_METRICS],
  [['metrics-salt', 'metrics-template', 'metrics-user'], 'string', NO_METRICS],
  [['metrics-user-from-header'], 'string', NO_METRICS],
  [['metrics-server-read-timeout', 'metrics-server-write-timeout'], 'duration', NO_METRICS],
  [['metrics-max-header-bytes'], 'int', NO_METRICS],
] as const satisfies readonly Row[];

/** They do not change the result of a run in rclone either. */
const TUNING = [
  [['multi-thread-chunk-size'], 'size', 'ranges are chosen by the size of the file'],
  [['multi-thread-write-buffer-size', 'buffer-size'], 'size', 'buffer sizes are automatic'],
  [['resilient', 'recover'], 'bool', 'every run of bisync goes on where the last one ended'],
  [['max-lock'], 'duration', 'the lock of a process that ended holds nothing'],
  [['no-cleanup'], 'bool', 'bisync writes no working files'],
  [['temp-dir'], 'string', 'no temporary directory is used'],
  [['use-mmap'], 'bool', 'Node manages memory'],
  [['disable-http2'], 'bool', 'all requests are HTTP/1.1'],
  [['no-gzip-encoding'], 'bool', 'compressed responses are never requested'],
  [['no-console'], 'bool', 'no console window to hide'],
  [['max-stats-groups'], 'int', 'there is only one stats group'],
  [
    ['fs-cache-expire-duration', 'fs-cache-expire-interval'],
    'duration',
    'a remote lives as long as the command',
    { needsUnit: true },
  ],
  [['kv-lock-time'], 'duration', 'no key-value database', { needsUnit: true }],
  [['mount-case-insensitive'], 'bool', `${ON_MACOS}; see --vfs-case-insensitive`],
  [['network-mode', 'noappledouble', 'noapplexattr'], 'bool', ON_MACOS],
] as const satisfies readonly Row[];

/** Of `serve http` and `serve webdav`: they ask for something. */
const SERVED_ASKING = [
  [['vfs-cache-mode'], 'string', NO_CACHE_OF_FILES],
  [['vfs-write-back'], 'duration', NO_CACHE_OF_FILES],
  [['dir-perms', 'file-perms', 'link-perms', 'umask'], 'string', NO_OWNERS],
  [['uid', 'gid'], 'int', NO_OWNERS],
  [['vfs-disk-space-total-size'], 'size', ANSWERED_HERE],
  [['vfs-used-is-size'], 'bool', ANSWERED_HERE],
] as const satisfies readonly Row[];

/** Of `serve http` and `serve webdav`: as `TUNING`. */
const SERVED_TUNING = [
  [['dir-cache-time', 'poll-interval', 'vfs-cache-max-age'], 'duration', NO_CACHE_OF_FILES],
  [['vfs-cache-poll-interval', 'vfs-handle-caching'], 'duration', NO_CACHE_OF_FILES],
  [['vfs-read-wait', 'vfs-write-wait'], 'duration', NO_CACHE_OF_FILES],
  [['vfs-cache-max-size', 'vfs-cache-min-free-space'], 'size', NO_CACHE_OF_FILES],
  [['vfs-read-ahead', 'vfs-read-chunk-size'], 'size', NO_CACHE_OF_FILES],
  [['vfs-read-chunk-size-limit'], 'size', NO_CACHE_OF_FILES],
  [['vfs-read-chunk-streams'], 'int', NO_CACHE_OF_FILES],
  [['vfs-fast-fingerprint', 'vfs-refresh'], 'bool', NO_CACHE_OF_FILES],
  [['no-checksum'], 'bool', 'uploads are always verified'],
  [['salt'], 'string', 'the password of --pass is kept in memory only'],
] as const satisfies readonly Row[];

const DSCP_NAME = /^(?:BE|DF|LE|EF|CS[0-6]|AF[1-4][1-3]|0*(?:[1-5]?\d|6[0-3]))?$/i;

/** What is wrong with a value of `--dscp`: it is a name such as `LE`, or a number up to 63. */
function wrongDscp(text: string): string | undefined {
  return DSCP_NAME.test(text) ? undefined : `"${text}" is not a DSCP name, as CS1, AF11, LE or EF`;
}

/** Flags by their keys, which begin with `prefix`. */
function flagsOf<const Rows extends readonly Row[], const Prefix extends string>(
  prefix: Prefix,
  rows: Rows,
  shared: Partial<FlagDefinition>,
) {
  const flags = rows.flatMap(([names, type, why, more]) =>
    names.map((name): [string, FlagDefinition] => {
      const help = `Ignored, for compatibility with rclone: ${why}`;
      return [`${prefix}${name}`, { type, group: 'accepted', help, name, ...more, ...shared }];
    }),
  );
  type Key = `${Prefix}${Rows[number][0][number]}`;
  return Object.fromEntries(flags) as Readonly<Record<Key, FlagDefinition>>;
}

const commands = ['serve http', 'serve webdav'];

/** rclone's flags without a meaning here. Scripts with them still work; a run logs once which of them are ignored. */
export const ACCEPTED_FLAGS = {
  ...flagsOf('', ASKING, {}),
  ...flagsOf('', TUNING, { isHint: true }),
  ...flagsOf('served-', SERVED_ASKING, { commands }),
  ...flagsOf('served-', SERVED_TUNING, { commands, isHint: true }),
};
