import type { FlagDefinition } from './flag-definition.ts';

const group = 'accepted';

/** A flag that is parsed and ignored; `why` says why. */
const accepted = <T extends FlagDefinition['type']>(type: T, why: string) =>
  ({ type, group, help: `Ignored, for compatibility with rclone: ${why}` }) as const;

const SERVES_NONE = 'no remote control server; see "syncer attach"';
const NO_METRICS = 'no server for metrics';
const NO_PROFILE = 'use node --cpu-prof and --heap-prof';
const NO_CACHE = 'a remote lives as long as the command';
const NOT_LINUX = 'only for mounts on macOS and Windows';
const NO_SYSLOG = 'the log goes to standard error or --log-file';

/** Ignored flags that do not change the result of a run in rclone either. */
export const HINTS: ReadonlySet<string> = new Set([
  'buffer-size',
  'multi-thread-chunk-size',
  'multi-thread-write-buffer-size',
  'temp-dir',
  'use-mmap',
  'disable-http2',
  'no-gzip-encoding',
  'no-console',
  'max-stats-groups',
  'fs-cache-expire-duration',
  'fs-cache-expire-interval',
  'kv-lock-time',
  'mount-case-insensitive',
  'network-mode',
  'noappledouble',
  'noapplexattr',
]);

/** rclone's flags without a meaning here. Scripts with them still work; a run logs once which of them are ignored. */
export const ACCEPTED_FLAGS = {
  inplace: accepted('bool', 'a file appears under its name only when it is complete'),
  'partial-suffix': accepted('string', 'temporary files have hidden names of their own'),
  'max-buffer-memory': accepted('size', 'buffers are small and their number is limited'),
  'multi-thread-chunk-size': accepted('size', 'ranges are chosen by the size of the file'),
  'multi-thread-write-buffer-size': accepted('size', 'buffer sizes are automatic'),
  'buffer-size': accepted('size', 'buffer sizes are automatic'),
  'temp-dir': accepted('string', 'no temporary directory is used'),
  'use-mmap': accepted('bool', 'Node manages memory'),
  'use-cookies': accepted('bool', 'no backend needs cookies'),
  'disable-http2': accepted('bool', 'all requests are HTTP/1.1'),
  'no-gzip-encoding': accepted('bool', 'compressed responses are never requested'),
  'no-console': accepted('bool', 'no console window to hide'),
  dscp: accepted('string', 'the system marks packets'),
  'max-stats-groups': accepted('int', 'there is only one stats group'),
  'fs-cache-expire-duration': accepted('duration', NO_CACHE),
  'fs-cache-expire-interval': accepted('duration', NO_CACHE),
  'kv-lock-time': accepted('duration', 'no key-value database'),
  'mount-case-insensitive': accepted('bool', `${NOT_LINUX}; see --vfs-case-insensitive`),
  'network-mode': accepted('bool', NOT_LINUX),
  noappledouble: accepted('bool', NOT_LINUX),
  noapplexattr: accepted('bool', NOT_LINUX),
  'fuse-flag': accepted('list', 'libfuse is not used; --option has mount options'),
  'vfs-block-norm-dupes': accepted('bool', 'names that differ in Unicode form are different files'),
  syslog: accepted('bool', NO_SYSLOG),
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
