import type { FlagDefinition } from './flag-definition.ts';

const group = 'accepted';

/** A flag that is parsed and ignored; `why` says why. */
const accepted = <T extends FlagDefinition['type']>(type: T, why: string) =>
  ({ type, group, help: `Ignored, for compatibility with rclone: ${why}` }) as const;

/** As `accepted`, if it does not change the result of a run in rclone either. */
const hint = <T extends FlagDefinition['type']>(type: T, why: string) =>
  ({ ...accepted(type, why), isHint: true }) as const;

const NO_CACHE_OF_FILES = 'serve has no cache: each request asks the remote';
const NO_OWNERS = 'clients see no owners and permissions';
const ANSWERED_HERE = 'the remote reports its own figures';

/** As `accepted`, for a server of files. */
const served = <const Name extends string, T extends FlagDefinition['type']>(
  name: Name,
  type: T,
  why: string,
) => ({ ...accepted(type, why), name, commands: ['serve http', 'serve webdav'] }) as const;

/** As `hint`, for a server of files. */
const servedHint = <const Name extends string, T extends FlagDefinition['type']>(
  name: Name,
  type: T,
  why: string,
) => ({ ...served(name, type, why), isHint: true }) as const;

const SERVES_NONE = 'no remote control server; see "syncer attach"';
const NO_METRICS = 'no server for metrics';
const NO_PROFILE = 'use node --cpu-prof and --heap-prof';
const NO_CACHE = 'a remote lives as long as the command';
const NOT_LINUX = 'only for mounts on macOS and Windows';
const BISYNC_RECOVERS = 'every run of bisync goes on where the last one ended';
const NO_SYSLOG = 'the log goes to standard error or --log-file';

const DSCP_NAME = /^(?:BE|DF|LE|EF|CS[0-6]|AF[1-4][1-3]|0*(?:[1-5]?\d|6[0-3]))?$/i;

/** What is wrong with a value of `--dscp`: it is a name such as `LE`, or a number up to 63. */
function wrongDscp(text: string): string | undefined {
  return DSCP_NAME.test(text) ? undefined : `"${text}" is not a DSCP name, as CS1, AF11, LE or EF`;
}

/** rclone's flags without a meaning here. Scripts with them still work; a run logs once which of them are ignored. */
export const ACCEPTED_FLAGS = {
  inplace: accepted('bool', 'a file appears under its name only when it is complete'),
  'partial-suffix': accepted('string', 'temporary files have hidden names of their own'),
  'max-buffer-memory': accepted('size', 'buffers are small and their number is limited'),
  'multi-thread-chunk-size': hint('size', 'ranges are chosen by the size of the file'),
  'multi-thread-write-buffer-size': hint('size', 'buffer sizes are automatic'),
  resilient: hint('bool', BISYNC_RECOVERS),
  recover: hint('bool', BISYNC_RECOVERS),
  'max-lock': hint('duration', 'the lock of a process that ended holds nothing'),
  'no-cleanup': hint('bool', 'bisync writes no working files'),
  'ignore-listing-checksum': accepted('bool', 'hashes are kept with --compare checksum only'),
  'slow-hash-sync-only': accepted('bool', 'hashes are kept with --compare checksum only'),
  'no-slow-hash': accepted('bool', 'hashes are kept with --compare checksum only'),
  'download-hash': accepted('bool', 'contents without a common hash are read and compared'),
  'buffer-size': hint('size', 'buffer sizes are automatic'),
  'temp-dir': hint('string', 'no temporary directory is used'),
  'use-mmap': hint('bool', 'Node manages memory'),
  'use-cookies': accepted('bool', 'no backend needs cookies'),
  'disable-http2': hint('bool', 'all requests are HTTP/1.1'),
  'no-gzip-encoding': hint('bool', 'compressed responses are never requested'),
  'no-console': hint('bool', 'no console window to hide'),
  dscp: { ...accepted('string', 'the system marks packets'), check: wrongDscp },
  'max-stats-groups': hint('int', 'there is only one stats group'),
  'fs-cache-expire-duration': { ...hint('duration', NO_CACHE), needsUnit: true },
  'fs-cache-expire-interval': { ...hint('duration', NO_CACHE), needsUnit: true },
  'kv-lock-time': { ...hint('duration', 'no key-value database'), needsUnit: true },
  'mount-case-insensitive': hint('bool', `${NOT_LINUX}; see --vfs-case-insensitive`),
  'network-mode': hint('bool', NOT_LINUX),
  noappledouble: hint('bool', NOT_LINUX),
  noapplexattr: hint('bool', NOT_LINUX),
  'fuse-flag': accepted('list', 'libfuse is not used; --option has mount options'),
  'served-dir-cache-time': servedHint('dir-cache-time', 'duration', NO_CACHE_OF_FILES),
  'served-poll-interval': servedHint('poll-interval', 'duration', NO_CACHE_OF_FILES),
  'served-vfs-cache-max-age': servedHint('vfs-cache-max-age', 'duration', NO_CACHE_OF_FILES),
  'served-vfs-cache-max-size': servedHint('vfs-cache-max-size', 'size', NO_CACHE_OF_FILES),
  'served-vfs-cache-min-free-space': servedHint(
    'vfs-cache-min-free-space',
    'size',
    NO_CACHE_OF_FILES,
  ),
  'served-vfs-cache-mode': served('vfs-cache-mode', 'string', NO_CACHE_OF_FILES),
  'served-vfs-cache-poll-interval': servedHint(
    'vfs-cache-poll-interval',
    'duration',
    NO_CACHE_OF_FILES,
  ),
  'served-vfs-fast-fingerprint': servedHint('vfs-fast-fingerprint', 'bool', NO_CACHE_OF_FILES),
  'served-vfs-handle-caching': servedHint('vfs-handle-caching', 'duration', NO_CACHE_OF_FILES),
  'served-vfs-read-ahead': servedHint('vfs-read-ahead', 'size', NO_CACHE_OF_FILES),
  'served-vfs-read-chunk-size': servedHint('vfs-read-chunk-size', 'size', NO_CACHE_OF_FILES),
  'served-vfs-read-chunk-size-limit': servedHint(
    'vfs-read-chunk-size-limit',
    'size',
    NO_CACHE_OF_FILES,
  ),
  'served-vfs-read-chunk-streams': servedHint('vfs-read-chunk-streams', 'int', NO_CACHE_OF_FILES),
  'served-vfs-read-wait': servedHint('vfs-read-wait', 'duration', NO_CACHE_OF_FILES),
  'served-vfs-refresh': servedHint('vfs-refresh', 'bool', NO_CACHE_OF_FILES),
  'served-vfs-write-back': served('vfs-write-back', 'duration', NO_CACHE_OF_FILES),
  'served-vfs-write-wait': servedHint('vfs-write-wait', 'duration', NO_CACHE_OF_FILES),
  'served-dir-perms': served('dir-perms', 'string', NO_OWNERS),
  'served-file-perms': served('file-perms', 'string', NO_OWNERS),
  'served-link-perms': served('link-perms', 'string', NO_OWNERS),
  'served-uid': served('uid', 'int', NO_OWNERS),
  'served-gid': served('gid', 'int', NO_OWNERS),
  'served-umask': served('umask', 'string', NO_OWNERS),
  'served-vfs-disk-space-total-size': served('vfs-disk-space-total-size', 'size', ANSWERED_HERE),
  'served-vfs-used-is-size': served('vfs-used-is-size', 'bool', ANSWERED_HERE),
  'served-no-checksum': servedHint('no-checksum', 'bool', 'uploads are always verified'),
  salt: servedHint('salt', 'string', 'the password of --pass is kept in memory only'),
  'vfs-block-norm-dupes': accepted('bool', 'names that differ in Unicode form are different files'),
  syslog: { ...accepted('bool', NO_SYSLOG), losesLog: true },
  'syslog-facility': accepted('string', NO_SYSLOG),
  cpuprofile: accepted('string', NO_PROFILE),
  memprofile: accepted('string', NO_PROFILE),
  rc: accepted('bool', SERVES_NONE),
  'rc-addr': accepted('string', SERVES_NONE),
  'rc-allow-origin': accepted('string', SERVES_NONE),
  'rc-baseurl': accepted('string', SERVES_NONE),
  'rc-cert': accepted('string', SERVES_NONE),
  'rc-client-ca': accepted('string', SERVES_NONE),
  'rc-enable-metrics': accepted('bool', SERVES_NONE),
  'rc-files': accepted('string', SERVES_NONE),
  'rc-htpasswd': accepted('string', SERVES_NONE),
  'rc-job-expire-duration': accepted('duration', SERVES_NONE),
  'rc-job-expire-interval': accepted('duration', SERVES_NONE),
  'rc-key': accepted('string', SERVES_NONE),
  'rc-max-header-bytes': accepted('int', SERVES_NONE),
  'rc-min-tls-version': accepted('string', SERVES_NONE),
  'rc-no-auth': accepted('bool', SERVES_NONE),
  'rc-pass': accepted('string', SERVES_NONE),
  'rc-realm': accepted('string', SERVES_NONE),
  'rc-serve': accepted('bool', SERVES_NONE),
  'rc-server-read-timeout': accepted('duration', SERVES_NONE),
  'rc-server-write-timeout': accepted('duration', SERVES_NONE),
  'rc-template': accepted('string', SERVES_NONE),
  'rc-user': accepted('string', SERVES_NONE),
  'rc-web-fetch-url': accepted('string', SERVES_NONE),
  'rc-web-gui': accepted('bool', SERVES_NONE),
  'rc-web-gui-force-update': accepted('bool', SERVES_NONE),
  'rc-web-gui-no-open-browser': accepted('bool', SERVES_NONE),
  'rc-web-gui-update': accepted('bool', SERVES_NONE),
  'rc-response-header': accepted('list', SERVES_NONE),
  'rc-salt': accepted('string', SERVES_NONE),
  'rc-serve-no-modtime': accepted('bool', SERVES_NONE),
  'rc-user-from-header': accepted('string', SERVES_NONE),
  'metrics-addr': accepted('list', NO_METRICS),
  'metrics-allow-origin': accepted('string', NO_METRICS),
  'metrics-baseurl': accepted('string', NO_METRICS),
  'metrics-cert': accepted('string', NO_METRICS),
  'metrics-client-ca': accepted('string', NO_METRICS),
  'metrics-htpasswd': accepted('string', NO_METRICS),
  'metrics-key': accepted('string', NO_METRICS),
  'metrics-max-header-bytes': accepted('int', NO_METRICS),
  'metrics-min-tls-version': accepted('string', NO_METRICS),
  'metrics-pass': accepted('string', NO_METRICS),
  'metrics-realm': accepted('string', NO_METRICS),
  'metrics-response-header': accepted('list', NO_METRICS),
  'metrics-salt': accepted('string', NO_METRICS),
  'metrics-server-read-timeout': accepted('duration', NO_METRICS),
  'metrics-server-write-timeout': accepted('duration', NO_METRICS),
  'metrics-template': accepted('string', NO_METRICS),
  'metrics-user': accepted('string', NO_METRICS),
  'metrics-user-from-header': accepted('string', NO_METRICS),
} as const satisfies Record<string, FlagDefinition>;
