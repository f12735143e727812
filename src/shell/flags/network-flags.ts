import {
  bool,
  commandFlags,
  duration,
  float,
  groupFlags,
  int,
  list,
  size,
  text,
} from '../../core/flags.ts';
import { wrongBandwidth } from '../../engine/bandwidth-timetable.ts';
import { readInt } from '../../go/read-number.ts';

/** Flags for the network, retries, speed and the configuration. */
export const NETWORK_FLAGS = {
  ...groupFlags('network', {
    retries: int('Retry a failed operation, up to this many attempts', { default: 3 }),
    'retries-sleep': duration('Interval between --retries attempts (0 for none)', {
      needsUnit: true,
      default: 0,
    }),
    'low-level-retries': int('Retry a failed request, up to this many attempts', { default: 10 }),
    timeout: duration('Idle timeout of a connection (0 for none)', {
      needsUnit: true,
      default: 300_000,
    }),
    contimeout: duration('Connect timeout', { needsUnit: true, default: 60_000 }),
    tpslimit: float('Maximum requests per second (0 for no limit)', { default: 0 }),
    'tpslimit-burst': int('Maximum burst of requests for --tpslimit', { default: 1 }),
    'max-connections': int('Maximum number of parallel requests (0 for no limit)', { default: 0 }),
    bwlimit: text(
      "Bandwidth limit in bytes per second: 10M, 1M:200k (up:down), or a timetable '08:00,512k; 19:00,off'",
      { placeholder: 'rate', check: wrongBandwidth },
    ),
    'bwlimit-file': text('Bandwidth limit per file, as for --bwlimit', {
      placeholder: 'rate',
      check: wrongBandwidth,
    }),
    'ca-cert': text('Also trust the certificate authorities in this PEM file', 'file'),
    'client-cert': text('Client certificate (PEM); needs --client-key', 'file'),
    'client-key': text('Private key for --client-cert (PEM)', 'file'),
    'client-pass': text('Password of --client-key, as printed by obscure', 'password'),
    'http-proxy': text(
      'Proxy for all requests, http://, https:// or socks5://[user:password@]host:port',
      'url',
    ),
    bind: text('Local address to connect from, an IP address or a host name', 'address'),
    header: list("Add an HTTP header to all requests, e.g. 'X-Trace: 1'", 'header'),
    'header-upload': list(
      "Add an HTTP header to uploads, e.g. 'Cache-Control: no-cache'",
      'header',
    ),
    'header-download': list('Add an HTTP header to downloads', 'header'),
    'disable-http-keep-alives': bool('Use each connection for one request'),
    'expect-continue-timeout': duration(
      'How long to wait for "100 Continue" before sending the body',
      { needsUnit: true, default: 1000 },
    ),
    'no-check-certificate': bool('Do not verify server certificates (insecure)'),
    'user-agent': text('User-Agent header', { defaultText: 'syncer/VERSION' }),
  }),
  ...groupFlags('speed', {
    transfers: int('Number of parallel file transfers', { defaultText: 'adaptive' }),
    checkers: int('Number of parallel checks', { defaultText: 'adaptive' }),
    'max-backlog': int('Maximum number of queued transfers', { default: 10_000 }),
    'list-cutoff': int('Sort directories with more entries than this on disk, to save memory', {
      default: 1_000_000,
    }),
    'fast-list': bool('List recursively if the backend can: fewer requests, more memory'),
    'no-resume': bool('Do not resume interrupted transfers'),
    memory: size('Use about this much memory: fewer files and parts at the same time', {
      defaultText: "60 % of the container's, else off",
    }),
    'no-index': bool('Ignore the cache of modification times: one extra request per object'),
    'use-hash-cache': bool(
      'Use cached hashes of files whose size, times and inode are unchanged, without reading them',
    ),
    'no-hash-cache': bool('Neither use nor fill the cache of hashes'),
  }),
  ...groupFlags('config', {
    config: text('The configuration file', {
      placeholder: 'file',
      defaultText: '~/.config/syncer/syncer.conf',
    }),
    profile: text(
      'Use the flags in section [profile NAME] of defaults.conf, beside the configuration file',
      'name',
    ),
    disable: text(
      'Disable these backend features: Copy,Move,DirMove,Purge,ListR,CleanUp,About,PublicLink',
      'features',
    ),
    'cache-dir': text('Cache directory', {
      placeholder: 'directory',
      defaultText: '~/.cache/syncer',
    }),
    'password-command': text(
      'Command that prints the password of an encrypted configuration',
      'command',
    ),
  }),
};

const loggingIn = [
  'authorize',
  'config',
  'config create',
  'config update',
  'config reconnect',
] as const;

/** Flags for the configuration, logging in, and generated scripts and docs. */
export const CONFIG_FLAGS = {
  ...groupFlags('config', {
    'ask-password': bool('Ask for the password of an encrypted configuration', { default: true }),
    'rclone-program': text('Name or path of the rclone that opens remotes of other types', {
      placeholder: 'program',
      defaultText: 'rclone',
    }),
    'auto-confirm': bool('Accept defaults instead of asking'),
  }),
  ...commandFlags(loggingIn, {
    device: bool('Log in on another device by typing a code there', {
      defaultText: 'if there is no display',
    }),
    'auth-no-open-browser': bool('Print the login link instead of opening a browser'),
    'auth-port': int('Local port that receives the login result from the browser', {
      default: 53682,
      placeholder: 'port',
      check: wrongPort,
    }),
  }),
};

/** What is wrong with a port that a program must be able to name. */
function wrongPort(text: string): string | undefined {
  const port = readInt(text);
  return port >= 1 && port <= 65_535 ? undefined : `must be a port from 1 to 65535, not "${text}"`;
}
