import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { userText } from '../../core/name-bytes.ts';
import { HttpError } from '../http-error.ts';

/**
 * The user of a request, `''` if everyone has access, and what is served to that user, if that depends on it. Rejects
 * with `HttpError` 401.
 */
export type LogIn<Served = never> = (
  request: IncomingMessage,
) => Promise<{ readonly user: string; readonly served?: Served }>;

/** How requests log in; `undefined` if everyone has access. Rejects with `usage`. */
export async function openLogin(flags: {
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Path of a file. */
  readonly htpasswd: string | undefined;
  /** A header in which a proxy reports the user. */
  readonly userFromHeader: string | undefined;
  readonly realm: string;
  /** Clients must have a certificate: its name is the user. */
  readonly needsCertificate: boolean;
}): Promise<LogIn | undefined> {
  const { user, password, htpasswd, userFromHeader, realm, needsCertificate } = flags;
  if ((user === undefined) !== (password === undefined)) {
    throw new SyncerError('usage', '--user and --pass need each other');
  }
  const refusal = unauthorized(realm);
  if (userFromHeader !== undefined) {
    const header = userFromHeader.toLowerCase();
    return async ({ headers }) => {
      const name = headers[header];
      if (typeof name === 'string' && name !== '') return { user: name };
      throw new HttpError(401, '401 Unauthorized');
    };
  }
  const file = htpasswd === undefined ? undefined : await Htpasswd.open(htpasswd);
  if (user === undefined && file === undefined) {
    if (!needsCertificate) return undefined;
    return async ({ socket }: { readonly socket: Socket | TLSSocket }) => {
      if (!('getPeerCertificate' in socket)) throw new HttpError(401, '401 Unauthorized');
      const { CN: name = '' } = socket.getPeerCertificate().subject ?? {};
      return { user: [name].flat()[0] ?? '' };
    };
  }
  const own = user === undefined ? undefined : digest(`${user}:${password}`);
  return async ({ headers }) => {
    const given = readCredentials(headers.authorization);
    if (given === undefined) throw refusal;
    const isOwn =
      own !== undefined && timingSafeEqual(own, digest(`${given.user}:${given.password}`));
    if (isOwn || (await file?.verify(given.user, given.password)) === true) {
      return { user: given.user };
    }
    throw refusal;
  };
}

/** The refusal after which a browser asks for a user and a password. */
export function unauthorized(realm: string): HttpError {
  const quoted = realm.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&');
  return new HttpError(401, '401 Unauthorized', {
    headers: { 'www-authenticate': `Basic realm="${quoted}", charset="UTF-8"` },
  });
}

/** The user and password of a header `Authorization`; `undefined` for none, or another scheme. */
export function readCredentials(header = '') {
  const [, encoded] = /^basic +([A-Za-z0-9+/=_-]+)\s*$/i.exec(header) ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Verified logins are remembered: a hash of bcrypt takes a tenth of a second. */
const REMEMBERED = 1000;

/** The users of a file of Apache's `htpasswd`: bcrypt, MD5 (`$apr1$`) and SHA-1. A changed file is read again. */
export class Htpasswd {
  readonly #path: string;
  #version = '';
  #users: ReadonlyMap<string, string> = new Map();
  #verified = new Map<string, Promise<boolean>>();

  private constructor(path: string) {
    this.#path = path;
  }

  /** Reads the file. Rejects with `usage` if that fails, or for a kind of hash that is not supported. */
  static async open(path: string): Promise<Htpasswd> {
    const file = new Htpasswd(path);
    try {
      await file.#refresh();
    } catch (cause) {
      throw new SyncerError('usage', `--htpasswd: ${toSyncerError(cause).message}`, { cause });
    }
    return file;
  }

  /** Whether the password is the user's. Rejects if the file cannot be read any more. */
  async verify(user: string, password: string): Promise<boolean> {
    await this.#refresh();
    const hash = this.#users.get(user);
    // An unknown user takes as long as a known one.
    const [anyHash = ''] = this.#users.values();
    const key = digest(`${user}\0${hash ?? ''}\0${password}`).toString('hex');
    const known = this.#verified.get(key);
    if (known !== undefined) return known;
    const result = matches(password, hash ?? anyHash).then(
      (isRight) => isRight && hash !== undefined,
    );
    if (this.#verified.size >= REMEMBERED) this.#verified.clear();
    this.#verified.set(key, result);
    if (!(await result)) this.#verified.delete(key);
    return result;
  }

  async #refresh(): Promise<void> {
    const { mtimeNs, size, ino } = await stat(this.#path, { bigint: true });
    const version = `${mtimeNs} ${size} ${ino}`;
    if (version === this.#version) return;
    this.#users = parseUsers(userText(await readFile(this.#path)));
    this.#verified = new Map();
    this.#version = version;
  }
}

/** Reads lines `user:hash`. Throws `usage` with the line of an unsupported hash, but not the hash. */
export function parseUsers(text: string): ReadonlyMap<string, string> {
  const users = new Map<string, string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, user = '', hash = ''] = /^([^:]*):([^:]*)/.exec(line.trim()) ?? [];
    if (user === '' || !/^(\$2[aby]\$|\$apr1\$|\{SHA\})/.test(hash)) {
      const what = 'is not "user:hash" with a hash by bcrypt, MD5 or SHA-1';
      throw new SyncerError('usage', `line ${at + 1} ${what}; use htpasswd -B`);
    }
    users.set(user, hash);
  }
  return users;
}

async function matches(password: string, hash: string): Promise<boolean> {
  if (hash.startsWith('$2')) {
    const { default: bcrypt } = await import('bcryptjs');
    return bcrypt.compare(password, hash);
  }
  if (hash.startsWith('$apr1$')) {
    const { default: apacheMd5 } = await import('apache-md5');
    return equal(apacheMd5(password, hash), hash);
  }
  return equal(`{SHA}${createHash('sha1').update(password).digest('base64')}`, hash);
}

const equal = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
