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
  ['check', 'list', 'check this hooks file and quit, use multiple times to check different files'],
  ['cipher-suites', 'string', 'comma-separated list of supported TLS cipher suites'],
  [
    'control',
    'string',
    'path of a Unix socket for syncer hooks, open to the user of the server only; "auto": in the directory for such files',
  ],
  ['debug', 'bool', 'show debug output'],
  [
    'header',
    'list',
    'response header to return, specified in format name=value, use multiple times to set multiple headers',
  ],
  ['healthz', 'bool', 'answer /healthz with 200 while the server serves'],
  ['history', 'int', 'number of runs that are over and still shown by -control and -status', 100],
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
  ['idle-timeout', 'int', 'seconds after which a connection on which nothing moves is closed', 300],
  ['ip', 'string', 'ip the webhook should serve hooks on', '0.0.0.0'],
  ['key', 'string', 'path to the HTTPS certificate private key pem file', 'key.pem'],
  ['list-cipher-suites', 'bool', 'list available TLS cipher suites'],
  ['logfile', 'string', 'send log output to a file; implicitly enables verbose logging'],
  ['max-body', 'int', 'bytes a request body may have where it is kept in memory', 134217728],
  [
    'max-commands',
    'int',
    'commands of all hooks that may run at once, further ones wait; default no limit',
  ],
  ['max-connections', 'int', 'connections that may be open at once', 20000],
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
  [
    'status',
    'string',
    'address (ip:port or unix:/path) that answers /healthz, /metrics and /status, apart from the hooks',
  ],
  [
    'stop-timeout',
    'int',
    'seconds that requests get to be answered, and waiting runs to begin, when the server is stopped',
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
