import { isIP } from 'node:net';
import { SyncerError } from '../../core/errors.ts';
import { secretVariable } from './signed.ts';

/** Where the queue is: a Redis or Valkey server, and the login. */
export interface QueueAddress {
  /** The path of a Unix socket; then `host` and `port` mean nothing. */
  readonly socket?: string;
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** The number of the database, 0 to 65,535; 0 by default. */
  readonly database: number;
  /** As a URL without the password, for messages. */
  readonly shown: string;
}

const FORMS =
  'write redis://[user@]host[:port][/database], rediss://… for TLS, or unix:/path/of/the/socket';

/**
 * The address of the queue: as given on the command line, or else from `SYNCER_QUEUE`. The password is that of
 * `SYNCER_QUEUE_PASSWORD`, or the one in the URL of `SYNCER_QUEUE`. Throws `usage` if there is no address, it is not
 * valid, or it has a password on the command line; messages never contain the password.
 */
export function queueAddress(given: string | undefined, env: NodeJS.ProcessEnv): QueueAddress {
  const fromEnv = secretVariable('SYNCER_QUEUE', env);
  const isFromEnv = !given || given === env['SYNCER_QUEUE'];
  const text = isFromEnv ? fromEnv : given;
  if (text === undefined)
    throw new SyncerError('usage', `the address of the queue is missing: ${FORMS}`);
  const address = parseAddress(text);
  if (address.password !== undefined && !isFromEnv) {
    const why = 'other users of this machine can read it in the list of processes';
    const instead = 'set SYNCER_QUEUE_PASSWORD, or SYNCER_QUEUE with the whole URL';
    throw new SyncerError(
      'usage',
      `the address of the queue has a password on the command line: ${why}; ${instead}`,
    );
  }
  const password = secretVariable('SYNCER_QUEUE_PASSWORD', env) ?? address.password;
  return password === undefined ? address : { ...address, password };
}

/** Whether names of objects and the password pass a network in clear text: no TLS, and another machine. */
export function isExposed({ socket, isTls, host }: QueueAddress): boolean {
  if (socket !== undefined || isTls) return false;
  if (isIP(host) === 4) return !host.startsWith('127.');
  return host !== '::1' && host !== 'localhost' && !host.endsWith('.localhost');
}

function parseAddress(text: string): QueueAddress {
  const scheme = /^(rediss?|unix):/.exec(text)?.[1];
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const other = scheme === undefined ? /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0] : undefined;
  if (other !== undefined) throw invalid(`"${other}" is no scheme of a queue`);
  if (scheme === undefined || url === undefined || !text.isWellFormed())
    throw invalid('it is not a valid URL');
  if (url.hash !== '') throw invalid('a "#" in a password is written %23');
  return scheme === 'unix' ? socketAddress(url) : networkAddress(url, scheme === 'rediss');
}

function networkAddress(url: URL, isTls: boolean): QueueAddress {
  if (url.hostname === '') throw invalid('the host is missing');
  if (url.search !== '') throw invalid('nothing may follow after "?"');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? 6379 : Number(url.port);
  const database = databaseOf(url.pathname.replace(/^\//, ''));
  const [user, password] = [decoded(url.username), decoded(url.password)];
  const where = `${url.hostname}:${port}${database === 0 ? '' : `/${database}`}`;
  const shown = `${url.protocol}//${user === undefined ? '' : `${url.username}@`}${where}`;
  return { host, port, isTls, database, shown, user, password };
}

/** `unix:/path?user=name&db=1`: a URL without a host has no place for a user. */
function socketAddress(url: URL): QueueAddress {
  const socket = decoded(url.pathname);
  if (url.host !== '' || socket === undefined || !socket.startsWith('/'))
    throw invalid('the path of the socket must be absolute');
  const other = [...url.searchParams.keys()].some((key) => key !== 'user' && key !== 'db');
  if (other) throw invalid('only user= and db= may follow after "?"');
  const user = url.searchParams.get('user') || undefined;
  const database = databaseOf(url.searchParams.get('db') ?? '');
  const shown = `unix:${url.pathname}${url.search}`;
  return { socket, host: '', port: 0, isTls: false, database, shown, user };
}

function databaseOf(text: string): number {
  if (text === '') return 0;
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= 65_535)) throw invalid('the database must be a number');
  return number;
}

function decoded(text: string): string | undefined {
  try {
    return text === '' ? undefined : decodeURIComponent(text);
  } catch {
    throw invalid('a "%" must be written %25');
  }
}

function invalid(why: string): SyncerError {
  return new SyncerError('usage', `the address of the queue cannot be read: ${why}; ${FORMS}`);
}

/** A place that every machine opens by its own configuration. */
export interface QueuePlace {
  /** The name of the remote, as in each configuration. */
  readonly remote: string;
  /** Without slashes at its ends; `''`: all of the remote. */
  readonly path: string;
}

/**
 * Reads `remote:path`. Throws `usage` for what other machines cannot open in the same way: a local path, a connection
 * string, a path with `..`. Values of a connection string are not in the message.
 */
export function queuePlace(text: string): QueuePlace {
  const end = /[:,/\\]/.exec(text.startsWith(':') ? `.${text.slice(1)}` : text);
  if (end?.[0] === ',' || text.startsWith(':')) {
    throw new SyncerError(
      'usage',
      'a remote with options in its path cannot be used with a queue: they may be secrets, and would be in the queue',
      { advice: 'name the remote in the configuration of each machine' },
    );
  }
  if (end?.[0] !== ':' || end.index === 0) {
    const why = 'is a local path: with a queue every worker would see its own disk';
    throw new SyncerError('usage', `"${text}" ${why}`);
  }
  const path = text.slice(end.index + 1).replace(/^\/+|\/+$/g, '');
  if (path !== '' && path.split('/').some((name) => ['', '.', '..'].includes(name))) {
    const why = 'cannot be used with a queue: its path must not contain "//", "." or ".."';
    throw new SyncerError('usage', `"${text}" ${why}`);
  }
  return { remote: text.slice(0, end.index), path };
}
