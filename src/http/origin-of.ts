import type { Origin } from './http-request.ts';

/** The server a URL leads to. */
export function originOf(url: URL): Origin {
  const secure = url.protocol === 'https:';
  return {
    secure,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    host: url.host,
  };
}
