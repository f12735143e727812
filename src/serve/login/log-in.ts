import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SyncerError } from '../../core/errors.ts';
import { HttpError } from '../http-error.ts';
import { Htpasswd } from './htpasswd.ts';

/** The login flags of a server. */
export interface LoginFlags {
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Path of a file. */
  readonly htpasswd: string | undefined;
  /** A header in which a proxy reports the user. */
  readonly userFromHeader: string | undefined;
  readonly realm: string;
  /** Clients must have a certificate: its name is the user. */
  readonly needsCertificate: boolean;
}

/**
 * The user of a request, `''` if everyone has access, and what is served to that user, if that depends on it. Rejects
 * with `HttpError` 401.
 */
export type LogIn<Served = never> = (
  request: IncomingMessage,
) => Promise<{ readonly user: string; readonly served?: Served }>;

/** How requests log in; `undefined` if everyone has access. Rejects with `usage`. */
export async function openLogin(flags: LoginFlags): Promise<LogIn | undefined> {
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
    return needsCertificate ? async ({ socket }) => ({ user: certificateName(socket) }) : undefined;
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

function certificateName(socket: IncomingMessage['socket']): string {
  if (!isTls(socket)) throw new HttpError(401, '401 Unauthorized');
  const { CN: name = '' } = socket.getPeerCertificate().subject ?? {};
  return [name].flat()[0] ?? '';
}

/** The refusal after which a browser asks for a user and a password. */
export function unauthorized(realm: string): HttpError {
  return new HttpError(401, '401 Unauthorized', {
    headers: { 'www-authenticate': `Basic realm="${quoted(realm)}", charset="UTF-8"` },
  });
}

/** The user and password of a header `Authorization`; `undefined` for none, or another scheme. */
export function readCredentials(
  header = '',
): { readonly user: string; readonly password: string } | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/=_-]+)\s*$/i.exec(header) ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

function quoted(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function isTls(socket: Socket): socket is TLSSocket {
  return 'encrypted' in socket && socket.encrypted === true;
}
