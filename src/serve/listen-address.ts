import { SyncerError } from '../core/errors.ts';
import type { AccessKey } from './s3/auth/authenticate.ts';

/** Where a server listens. */
export interface ListenAddress {
  /** A name or an address, without the brackets of IPv6. */
  readonly host: string;
  readonly port: number;
}

/**
 * Reads `--addr`: `localhost:8080`, `[::1]:8080`, or `:8080` for all interfaces. Throws `usage`.
 */
export function parseListenAddress(text: string): ListenAddress {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text.trim());
  const port = Number(match?.[3] ?? Number.NaN);
  if (match === null || !(port <= 65_535)) {
    throw new SyncerError('usage', `--addr ${text}: an address is host:port, as in localhost:8080`);
  }
  return { host: match[1] || match[2] || '::', port };
}

/** Reads `--auth-key`: an access key ID and its secret, separated by a comma. Throws `usage`, without the secret. */
export function parseAccessKey(text: string): AccessKey {
  const comma = text.indexOf(',');
  const accessKeyId = text.slice(0, comma).trim();
  const secretAccessKey = text.slice(comma + 1).trim();
  if (comma <= 0 || accessKeyId === '' || secretAccessKey === '') {
    throw new SyncerError('usage', '--auth-key needs an access key ID and a secret: ID,SECRET');
  }
  return { accessKeyId, secretAccessKey };
}
