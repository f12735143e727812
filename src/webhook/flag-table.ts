import { goQuote } from '../go/go-texts.ts';
import { readBool } from '../go/read-number.ts';

/** A flag of `webhook`; without `standard` it is empty, 0, false or an empty list where it is not given. */
export type Flag = readonly [
  name: string,
  kind: 'string' | 'int' | 'bool' | 'list',
  usage: string,
  standard?: string | number,
];

/** Every flag, sorted by name: those of webhook 2.8.0, and our own. */
export const FLAGS = [
  ['cert', 'string', 'path to the HTTPS certificate pem file', 'cert.pem'],
  ['check', 'list', 'check this hooks file and exit, use multiple times to check different files'],
  ['cipher-suites', 'string', 'comma-separated list of supported TLS cipher suites'],
  [
    'control',
    'string',
    'path of a Unix socket for syncer hooks, for the user of the server only; "auto" creates it in the runtime directory',
  ],
  ['debug', 'bool', 'show debug output'],
  [
    'header',
    'list',
    'response header to return, specified in format name=value, use multiple times to set multiple headers',
  ],
  ['healthz', 'bool', 'answer /healthz with 200, and with 503 while the server stops'],
  ['history', 'int', 'number of finished runs kept in memory for -control and -status', 100],
  [
    'hooks',
    'list',
    'path to the json file containing defined hooks the webhook should serve, use multiple times to load from different files',
  ],
  ['hotreload', 'bool', 'watch hooks file for changes and reload them automatically'],
  [
    'http-methods',
    'string',
    'set default allowed HTTP methods (ie. "POST"); separate methods with comma',
  ],
  ['idle-timeout', 'int', 'close a connection after this many seconds without traffic', 300],
  ['ip', 'string', 'ip the webhook should serve hooks on', '0.0.0.0'],
  ['key', 'string', 'path to the HTTPS certificate private key pem file', 'key.pem'],
  ['list-cipher-suites', 'bool', 'list available TLS cipher suites'],
  ['logfile', 'string', 'send log output to a file; implicitly enables verbose logging'],
  ['max-body', 'int', 'maximum size in bytes of a request body kept in memory', 134217728],
  [
    'max-commands',
    'int',
    'maximum number of commands of all hooks at the same time, further ones are queued; default no limit',
  ],
  ['max-connections', 'int', 'maximum number of open connections', 20000],
  [
    'max-multipart-mem',
    'int',
    'maximum memory in bytes for parsing multipart form data before disk caching',
    1048576,
  ],
  ['metrics', 'bool', 'answer /metrics with counters for Prometheus'],
  [
    'nopanic',
    'bool',
    'do not panic if hooks cannot be loaded when webhook is not running in verbose mode',
  ],
  ['pidfile', 'string', 'create PID file at the given path'],
  ['port', 'int', 'port the webhook should serve hooks on', 9000],
  ['run-header', 'bool', 'name the run in the header X-Hook-Run of every answer of a hook'],
  ['secure', 'bool', 'use HTTPS instead of HTTP'],
  ['setgid', 'int', 'set group ID after opening listening port; must be used with setuid'],
  ['setuid', 'int', 'set user ID after opening listening port; must be used with setgid'],
  [
    'socket',
    'string',
    'path to a Unix socket (e.g. /tmp/webhook.sock) to use instead of listening on an ip and port; if specified, the ip and port options are ignored',
  ],
  ['status', 'string', 'address (ip:port or unix:/path) for /healthz, /metrics and /status'],
  [
    'stop-timeout',
    'int',
    'on TERM and INT, seconds to answer open requests and to start queued runs',
    10,
  ],
  ['template', 'bool', 'parse hooks file as a Go template'],
  ['threads', 'int', 'ignored: one thread answers all requests'],
  ['tls-min-version', 'string', 'minimum TLS version (1.0, 1.1, 1.2, 1.3)', '1.2'],
  [
    'urlprefix',
    'string',
    'url prefix to use for served hooks (protocol://yourserver:port/PREFIX/:hook-id)',
    'hooks',
  ],
  ['verbose', 'bool', 'show verbose output'],
  ['version', 'bool', 'display webhook version and quit'],
  ['x-request-id', 'bool', 'use X-Request-Id header, if present, as request ID'],
  ['x-request-id-limit', 'int', 'truncate X-Request-Id header to limit; default no limit'],
] as const satisfies readonly Flag[];

/** The help text. */
export function usageText(): string {
  const flags: readonly Flag[] = FLAGS;
  const entries = flags.map(([name, kind, usage, standard]) => {
    const type = { string: ' string', int: ' int', bool: '', list: ' value' }[kind];
    const shown = typeof standard === 'string' ? JSON.stringify(standard) : standard;
    return `  -${name}${type}\n    \t${usage}${standard === undefined ? '' : ` (default ${shown})`}\n`;
  });
  return `Usage of webhook:\n${entries.join('')}`;
}

/** A command line that makes no sense. */
export class FlagFault extends Error {}

/** A number that a flag cannot hold. */
export class FlagRangeFault extends FlagFault {}

/** Our own flags for numbers, which cannot be negative, and the most that they hold: timers wait 2^31 ms. */
const MOST: ReadonlyMap<string, number> = new Map([
  ...['history', 'max-body', 'max-commands', 'max-connections', 'stop-timeout'].map(
    (name) => [name, Number.MAX_SAFE_INTEGER] as const,
  ),
  ['idle-timeout', 2_147_483],
]);

const INTEGER =
  /^[-+]?(?:0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|0|[1-9](?:_?\d)*)$/;

/** The value of a flag from its text. Throws `FlagFault`. */
function flagValue(
  [name, kind]: Flag,
  text: string,
  before: unknown,
): string | number | boolean | string[] {
  if (kind === 'string') return text;
  if (kind === 'bool') {
    try {
      return readBool(text);
    } catch {
      throw new FlagFault(`invalid boolean value ${goQuote(text)} for -${name}: parse error`);
    }
  }
  if (kind === 'int') return integer(name, text);
  if (name === 'header' && !text.includes('=')) {
    const why = 'header flag must be in name=value format';
    throw new FlagFault(`invalid value ${goQuote(text)} for flag -header: ${why}`);
  }
  return [...(before as string[]), text];
}

function integer(name: string, text: string): number {
  const fault = (why: string) =>
    new FlagFault(`invalid value ${goQuote(text)} for flag -${name}: ${why}`);
  if (!INTEGER.test(text)) throw fault('parse error');
  const digits = text.replace(/[-+_]/g, '').replace(/^0(?=[0-7])/, '0o');
  const value = text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
  if (value >= 1n << 63n || value < -(1n << 63n)) throw fault('value out of range');
  const most = MOST.get(name);
  if (most !== undefined && (value < 0n || value > most)) {
    const range = value < 0n ? 'must not be negative' : `must be at most ${most}`;
    throw new FlagRangeFault(`invalid value ${goQuote(text)} for flag -${name}: ${range}`);
  }
  return Number(value);
}

type FlagKinds = { string: string; int: number; bool: boolean; list: readonly string[] };

/** Every flag's value by its name. */
export type FlagValues = {
  readonly [F in (typeof FLAGS)[number] as F[0]]: FlagKinds[F[1]];
};

/** `-h` or `-help`: the help text is wanted. */
export class HelpWanted extends Error {}

/**
 * Reads a command line as Go's `flag` package does; it ends at the first word that is no flag. Throws `FlagFault`,
 * and `HelpWanted`.
 */
export function parseFlags(words: readonly string[]): FlagValues {
  const values = new Map<string, string | number | boolean | string[]>();
  for (const [name, kind, , standard] of FLAGS as readonly Flag[]) {
    values.set(name, standard ?? { string: '', int: 0, bool: false, list: [] as string[] }[kind]);
  }
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-') || word === '-' || word === '--') break;
    const bare = word.replace(/^--?/, '');
    if (/^[-=]|^$/.test(bare)) throw new FlagFault(`bad flag syntax: ${word}`);
    const equals = bare.indexOf('=');
    const name = equals < 0 ? bare : bare.slice(0, equals);
    let text = equals < 0 ? undefined : bare.slice(equals + 1);
    const flag = (FLAGS as readonly Flag[]).find(([known]) => known === name);
    if (flag === undefined) {
      if (name === 'h' || name === 'help') throw new HelpWanted();
      throw new FlagFault(`flag provided but not defined: -${name}`);
    }
    if (text === undefined && flag[1] !== 'bool') {
      text = words[++at];
      if (text === undefined) throw new FlagFault(`flag needs an argument: -${name}`);
    }
    values.set(name, flagValue(flag, text ?? 'true', values.get(name)));
  }
  return Object.fromEntries(values) as unknown as FlagValues;
}
