import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { S3Error } from './wire/s3-error.ts';

/** Most hosts, recognised fast. */
const PLAIN = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/;

/**
 * Protects a server without keys, which every local user can reach, from web pages: they reach it under a name of
 * their own (DNS rebinding), or send it forms. Throws `AccessDenied`.
 * @param ownName the name in the server's address
 * @param isAllowed the bucket's CORS configuration permits the request
 */
export function guardFromPages(
  { method, headers, socket }: IncomingMessage,
  ownName: string,
  isAllowed: boolean,
): void {
  const { host, origin } = headers;
  const isPlain = host === undefined || PLAIN.test(host);
  const isLocal = !isPlain && /^(?:::ffff:)?127\.|^::1$/.test(socket.localAddress ?? '');
  const name = isLocal ? hostName(host) : '';
  if (isLocal && isIP(name) === 0 && !/(?:^|\.)localhost$/.test(name) && name !== ownName) {
    throw new S3Error('AccessDenied', {
      message:
        'A server without keys takes requests for an IP address or localhost only. Use one of these, or start it with --auth-key.',
    });
  }
  const isReading = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  if (origin === undefined || isReading || isAllowed || origin === `http://${host}`) return;
  throw new S3Error('AccessDenied', {
    message: 'A server without keys takes no changes from web pages that no CORS rule allows.',
  });
}

/** The name or address in a `Host` header, in lower case, without port and brackets. */
function hostName(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
