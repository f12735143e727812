import type { FlagDefinition } from './flag-definition.ts';

const group = 'accepted';

/** A flag that is read, so that its value must make sense, and does nothing; `why` says why. */
const accepted = <T extends FlagDefinition['type']>(type: T, why: string) =>
  ({ type, group, help: `Accepted for rclone's scripts; ${why}` }) as const;

const SERVES_NONE = 'there is no remote control';
const NO_PROFILE = 'node --cpu-prof and --heap-prof measure';
const NO_CACHE = 'remotes are kept as long as a command runs';
const NO_SYSLOG = 'the log goes to standard error or --log-file';

/** Those that change nothing of what a run does and tells, in rclone neither: who does without them misses nothing. */
export const HINTS: ReadonlySet<string> = new Set([
  'buffer-size',
  'temp-dir',
  'use-mmap',
  'disable-http2',
  'no-gzip-encoding',
  'no-console',
  'max-stats-groups',
  'fs-cache-expire-duration',
  'fs-cache-expire-interval',
  'kv-lock-time',
]);

/**
 * Flags of rclone without a meaning here. Scripts that have them run all the same; a run tells once which of them
 * did nothing.
 */
export const ACCEPTED_FLAGS = {
  'buffer-size': accepted('size', 'buffers follow the speed of both sides'),
  'temp-dir': accepted('string', 'nothing is kept in temporary files'),
  'use-mmap': accepted('bool', 'memory is given back by itself'),
  'use-cookies': accepted('bool', 'no store wants cookies'),
  'disable-http2': accepted('bool', 'all requests are HTTP/1.1'),
  'no-gzip-encoding': accepted('bool', 'compressed answers are never asked for'),
  'no-console': accepted('bool', 'there is no window to hide'),
  dscp: accepted('string', 'the mark of packets is left to the system'),
  'max-stats-groups': accepted('int', 'there is one group of statistics'),
  'fs-cache-expire-duration': accepted('duration', NO_CACHE),
  'fs-cache-expire-interval': accepted('duration', NO_CACHE),
  'kv-lock-time': accepted('duration', 'there is no key-value database'),
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
} as const satisfies Record<string, FlagDefinition>;
