import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Most hosts, recognised fast. */
const PLAIN = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/;

/**
 * Protects a server without a login, which every local user can reach, from web pages: they reach it under a name of
 * their own (DNS rebinding), or send it forms. Returns why a request must be refused.
 * @param ownNames the names in the server's addresses
 * @param isAllowed pages of this origin may change files
 */
export function guardFromPages(
  { method, headers, socket }: IncomingMessage,
  ownNames: readonly string[],
  isAllowed: boolean,
): 'unknown-host' | 'other-origin' | undefined {
  const { host, origin } = headers;
  const isPlain = host === undefined || PLAIN.test(host);
  const isLocal = !isPlain && /^(?:::ffff:)?127\.|^::1$/.test(socket.localAddress ?? '');
  const name = isLocal
    ? host
        .toLowerCase()
        .replace(/:\d*$/, '')
        .replace(/^\[(.*)\]$/, '$1')
        .replace(/\.$/, '')
    : '';
  const isKnown = isIP(name) !== 0 || /(?:^|\.)localhost$/.test(name) || ownNames.includes(name);
  if (isLocal && !isKnown) return 'unknown-host';
  const isReading = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  const isOwn = origin === `http://${host}` || origin === `https://${host}`;
  return origin === undefined || isReading || isAllowed || isOwn ? undefined : 'other-origin';
}
