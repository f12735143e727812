/** A flag of `webhook`. */
export interface Flag {
  readonly name: string;
  readonly kind: 'string' | 'int' | 'bool' | 'list';
  readonly usage: string;
  /** What it is when it is not given; absent: empty, 0, false. */
  readonly standard?: string | number;
}

/** Every flag, sorted by name: those of webhook 2.8.0, and our own. */
export const FLAGS = [
  {
    name: 'cert',
    kind: 'string',
    usage: 'path to the HTTPS certificate pem file',
    standard: 'cert.pem',
  },
  {
    name: 'check',
    kind: 'list',
    usage: 'check this hooks file and quit, use multiple times to check different files',
  },
  {
    name: 'cipher-suites',
    kind: 'string',
    usage: 'comma-separated list of supported TLS cipher suites',
  },
  {
    name: 'control',
    kind: 'string',
    usage:
      'path of a Unix socket for syncer hooks, open to the user of the server only; "auto": in the directory for such files',
  },
  { name: 'debug', kind: 'bool', usage: 'show debug output' },
  {
    name: 'header',
    kind: 'list',
    usage:
      'response header to return, specified in format name=value, use multiple times to set multiple headers',
  },
  { name: 'healthz', kind: 'bool', usage: 'answer /healthz with 200 while the server serves' },
  {
    name: 'history',
    kind: 'int',
    usage: 'number of runs that are over and still shown by -control and -status',
    standard: 100,
  },
  {
    name: 'hooks',
    kind: 'list',
    usage:
      'path to the json file containing defined hooks the webhook should serve, use multiple times to load from different files',
  },
  {
    name: 'hotreload',
    kind: 'bool',
    usage: 'watch hooks file for changes and reload them automatically',
  },
  {
    name: 'http-methods',
    kind: 'string',
    usage: 'set default allowed HTTP methods (ie. "POST"); separate methods with comma',
  },
  {
    name: 'idle-timeout',
    kind: 'int',
    usage: 'seconds after which a connection on which nothing moves is closed',
    standard: 300,
  },
  {
    name: 'ip',
    kind: 'string',
    usage: 'ip the webhook should serve hooks on',
    standard: '0.0.0.0',
  },
  {
    name: 'key',
    kind: 'string',
    usage: 'path to the HTTPS certificate private key pem file',
    standard: 'key.pem',
  },
  { name: 'list-cipher-suites', kind: 'bool', usage: 'list available TLS cipher suites' },
  {
    name: 'logfile',
    kind: 'string',
    usage: 'send log output to a file; implicitly enables verbose logging',
  },
  {
    name: 'max-body',
    kind: 'int',
    usage: 'bytes a request body may have where it is kept in memory',
    standard: 134217728,
  },
  {
    name: 'max-commands',
    kind: 'int',
    usage: 'commands of all hooks that may run at once, further ones wait; default no limit',
  },
  {
    name: 'max-connections',
    kind: 'int',
    usage: 'connections that may be open at once',
    standard: 20000,
  },
  {
    name: 'max-multipart-mem',
    kind: 'int',
    usage: 'maximum memory in bytes for parsing multipart form data before disk caching',
    standard: 1048576,
  },
  { name: 'metrics', kind: 'bool', usage: 'answer /metrics with counters for Prometheus' },
  {
    name: 'nopanic',
    kind: 'bool',
    usage: 'do not panic if hooks cannot be loaded when webhook is not running in verbose mode',
  },
  { name: 'pidfile', kind: 'string', usage: 'create PID file at the given path' },
  { name: 'port', kind: 'int', usage: 'port the webhook should serve hooks on', standard: 9000 },
  {
    name: 'run-header',
    kind: 'bool',
    usage: 'name the run in the header X-Hook-Run of every answer of a hook',
  },
  { name: 'secure', kind: 'bool', usage: 'use HTTPS instead of HTTP' },
  {
    name: 'setgid',
    kind: 'int',
    usage: 'set group ID after opening listening port; must be used with setuid',
  },
  {
    name: 'setuid',
    kind: 'int',
    usage: 'set user ID after opening listening port; must be used with setgid',
  },
  {
    name: 'socket',
    kind: 'string',
    usage:
      'path to a Unix socket (e.g. /tmp/webhook.sock) to use instead of listening on an ip and port; if specified, the ip and port options are ignored',
  },
  {
    name: 'status',
    kind: 'string',
    usage:
      'address (ip:port or unix:/path) that answers /healthz, /metrics and /status, apart from the hooks',
  },
  {
    name: 'stop-timeout',
    kind: 'int',
    usage:
      'seconds that requests get to be answered, and waiting runs to begin, when the server is stopped',
    standard: 10,
  },
  { name: 'template', kind: 'bool', usage: 'parse hooks file as a Go template' },
  {
    name: 'threads',
    kind: 'int',
    usage: 'ignored: one thread answers all requests',
  },
  {
    name: 'tls-min-version',
    kind: 'string',
    usage: 'minimum TLS version (1.0, 1.1, 1.2, 1.3)',
    standard: '1.2',
  },
  {
    name: 'urlprefix',
    kind: 'string',
    usage: 'url prefix to use for served hooks (protocol://yourserver:port/PREFIX/:hook-id)',
    standard: 'hooks',
  },
  { name: 'verbose', kind: 'bool', usage: 'show verbose output' },
  { name: 'version', kind: 'bool', usage: 'display webhook version and quit' },
  {
    name: 'x-request-id',
    kind: 'bool',
    usage: 'use X-Request-Id header, if present, as request ID',
  },
  {
    name: 'x-request-id-limit',
    kind: 'int',
    usage: 'truncate X-Request-Id header to limit; default no limit',
  },
] as const satisfies readonly Flag[];

/** The help text. */
export function usageText(): string {
  const flags: readonly Flag[] = FLAGS;
  const entries = flags.map(({ name, kind, usage, standard }) => {
    const type = { string: ' string', int: ' int', bool: '', list: ' value' }[kind];
    const shown = typeof standard === 'string' ? JSON.stringify(standard) : standard;
    return `  -${name}${type}\n    \t${usage}${standard === undefined ? '' : ` (default ${shown})`}\n`;
  });
  return `Usage of webhook:\n${entries.join('')}`;
}
