import type { FlagDefinition } from './flag-definition.ts';

/** Flags about the network, about trying again, about speed, and about where settings come from. */
export const NETWORK_FLAGS = {
  retries: {
    type: 'int',
    default: 3,
    help: 'Try the whole operation this many times when it fails',
    group: 'network',
  },
  'retries-sleep': {
    type: 'duration',
    default: 0,
    help: 'Wait this long between these tries (0 for no wait)',
    group: 'network',
  },
  'low-level-retries': {
    type: 'int',
    default: 10,
    help: 'Try a single request this many times when it fails',
    group: 'network',
  },
  timeout: {
    type: 'duration',
    default: 300_000,
    help: 'Give up a connection that is silent for this long (0 for never)',
    group: 'network',
  },
  contimeout: {
    type: 'duration',
    default: 60_000,
    help: 'Give up connecting after this time',
    group: 'network',
  },
  tpslimit: {
    type: 'float',
    default: 0,
    help: 'At most this many requests a second (0 for no limit)',
    group: 'network',
  },
  'tpslimit-burst': {
    type: 'int',
    default: 1,
    help: 'This many requests may go out at once under --tpslimit',
    group: 'network',
  },
  bwlimit: {
    type: 'string',
    placeholder: 'rate',
    help: "Bytes a second, e.g. 10M, 1M:200k (up:down), or a timetable '08:00,512k 19:00,off'",
    group: 'network',
  },
  'ca-cert': {
    type: 'string',
    placeholder: 'file',
    help: 'Trust the certificate authorities in this PEM file, too',
    group: 'network',
  },
  'no-check-certificate': {
    type: 'bool',
    help: "Do not verify servers' certificates (insecure)",
    group: 'network',
  },
  'user-agent': {
    type: 'string',
    defaultText: 'syncer and its version',
    help: 'The User-Agent of requests',
    group: 'network',
  },
  transfers: {
    type: 'int',
    defaultText: 'adapts itself',
    help: 'Transfer this many files at once',
    group: 'speed',
  },
  checkers: {
    type: 'int',
    defaultText: 'adapts itself',
    help: 'Compare this many files at once',
    group: 'speed',
  },
  'fast-list': {
    type: 'bool',
    help: 'List whole trees at once where the store can: fewer requests, more memory',
    group: 'speed',
  },
  'no-index': {
    type: 'bool',
    help: 'Do without what earlier runs learned of modification times: each costs a request again',
    group: 'speed',
  },
  config: {
    type: 'string',
    placeholder: 'file',
    help: 'The configuration file',
    defaultText: '~/.config/syncer/syncer.conf',
    group: 'config',
  },
  'password-command': {
    type: 'string',
    placeholder: 'command',
    help: 'A command that prints the password of an encrypted configuration',
    group: 'config',
  },
} as const satisfies Record<string, FlagDefinition>;
