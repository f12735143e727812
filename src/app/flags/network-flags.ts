import { wrongBandwidth } from '../../kit/bandwidth-timetable.ts';
import { groupFlags } from './flag-definition.ts';

/** Flags for the network, retries, speed and the configuration. */
export const NETWORK_FLAGS = {
  ...groupFlags('network', {
    retries: {
      type: 'int',
      default: 3,
      help: 'Retry a failed operation, up to this many attempts',
    },
    'retries-sleep': {
      type: 'duration',
      needsUnit: true,
      default: 0,
      help: 'Interval between --retries attempts (0 for none)',
    },
    'low-level-retries': {
      type: 'int',
      default: 10,
      help: 'Retry a failed request, up to this many attempts',
    },
    timeout: {
      type: 'duration',
      needsUnit: true,
      default: 300_000,
      help: 'Idle timeout of a connection (0 for none)',
    },
    contimeout: { type: 'duration', needsUnit: true, default: 60_000, help: 'Connect timeout' },
    tpslimit: { type: 'float', default: 0, help: 'Maximum requests per second (0 for no limit)' },
    'tpslimit-burst': { type: 'int', default: 1, help: 'Maximum burst of requests for --tpslimit' },
    'max-connections': {
      type: 'int',
      default: 0,
      help: 'Maximum requests at the same time that wait for their response (0 for no limit)',
    },
    bwlimit: {
      type: 'string',
      placeholder: 'rate',
      check: wrongBandwidth,
      help: "Bandwidth limit in bytes per second: 10M, 1M:200k (up:down), or a timetable '08:00,512k; 19:00,off'",
    },
    'bwlimit-file': {
      type: 'string',
      placeholder: 'rate',
      check: wrongBandwidth,
      help: 'Bandwidth limit per file, as for --bwlimit',
    },
    'ca-cert': {
      type: 'string',
      placeholder: 'file',
      help: 'Also trust the certificate authorities in this PEM file',
    },
    'client-cert': {
      type: 'string',
      placeholder: 'file',
      help: 'Client certificate (PEM); needs --client-key',
    },
    'client-key': {
      type: 'string',
      placeholder: 'file',
      help: 'Private key for --client-cert (PEM)',
    },
    'client-pass': {
      type: 'string',
      placeholder: 'password',
      help: 'Password of --client-key, as printed by obscure',
    },
    'http-proxy': {
      type: 'string',
      placeholder: 'url',
      help: 'Proxy for all requests, http://, https:// or socks5://[user:password@]host:port',
    },
    bind: {
      type: 'string',
      placeholder: 'address',
      help: 'Local address to connect from, an IP address or a host name',
    },
    header: {
      type: 'list',
      placeholder: 'header',
      help: "Add an HTTP header to all requests, e.g. 'X-Trace: 1'",
    },
    'header-upload': {
      type: 'list',
      placeholder: 'header',
      help: "Add an HTTP header to uploads, e.g. 'Cache-Control: no-cache'",
    },
    'header-download': {
      type: 'list',
      placeholder: 'header',
      help: 'Add an HTTP header to downloads',
    },
    'disable-http-keep-alives': { type: 'bool', help: 'Use each connection for one request' },
    'expect-continue-timeout': {
      type: 'duration',
      needsUnit: true,
      default: 1000,
      help: 'How long to wait for "100 Continue" before sending the body',
    },
    'no-check-certificate': { type: 'bool', help: 'Do not verify server certificates (insecure)' },
    'user-agent': { type: 'string', defaultText: 'syncer/VERSION', help: 'User-Agent header' },
  }),
  ...groupFlags('speed', {
    transfers: {
      type: 'int',
      defaultText: 'adaptive',
      help: 'Number of parallel file transfers',
    },
    checkers: { type: 'int', defaultText: 'adaptive', help: 'Number of parallel checks' },
    'max-backlog': { type: 'int', default: 10_000, help: 'Maximum number of queued transfers' },
    'list-cutoff': {
      type: 'int',
      default: 1_000_000,
      help: 'Sort directories with more entries than this on disk, to save memory',
    },
    'fast-list': {
      type: 'bool',
      help: 'List recursively if the backend can: fewer requests, more memory',
    },
    'no-resume': {
      type: 'bool',
      help: 'Never keep parts of interrupted transfers, and use none that were kept',
    },
    memory: {
      type: 'size',
      defaultText: "60 % of the container's, else off",
      help: 'Use about this much memory: fewer files and parts at the same time',
    },
    'no-index': {
      type: 'bool',
      help: 'Ignore the cache of modification times: one extra request per object',
    },
    'use-hash-cache': {
      type: 'bool',
      help: 'Use cached hashes of files whose size, times and inode are unchanged, without reading them',
    },
    'no-hash-cache': { type: 'bool', help: 'Neither use nor fill the cache of hashes' },
  }),
  ...groupFlags('config', {
    config: {
      type: 'string',
      placeholder: 'file',
      help: 'The configuration file',
      defaultText: '~/.config/syncer/syncer.conf',
    },
    profile: {
      type: 'string',
      placeholder: 'name',
      help: 'Use the flags in section [profile NAME] of defaults.conf, beside the configuration file',
    },
    disable: {
      type: 'string',
      placeholder: 'features',
      help: 'Disable these backend features: Copy,Move,DirMove,Purge,ListR,CleanUp,About,PublicLink',
    },
    'cache-dir': {
      type: 'string',
      placeholder: 'directory',
      help: 'Cache directory',
      defaultText: '~/.cache/syncer',
    },
    'password-command': {
      type: 'string',
      placeholder: 'command',
      help: 'Command that prints the password of an encrypted configuration',
    },
  }),
};
