import { type HttpRequest, originOf } from '../backends/http/http-request.ts';
import { hasCode, SyncerError } from '../core/errors.ts';

/** As many redirects as Go follows. */
export const MOST_REDIRECTS = 10;

/** A failed connection, with advice about the URL. */
export function passing(thrown: unknown): unknown {
  if (!hasCode(thrown, 'network')) return thrown;
  const message = thrown.message.replace(/; check the endpoint$/, '; check the URL');
  return new SyncerError('network', message, { cause: thrown.cause, fault: thrown.fault });
}

/** The request for a URL, with its login. */
export function requestOf(url: URL, userAgent: string): HttpRequest {
  const login = `${decode(url.username)}:${decode(url.password)}`;
  return {
    method: 'GET',
    origin: originOf(url),
    target: `${url.pathname}${url.search}`,
    headers: {
      host: url.host,
      'user-agent': userAgent,
      // A compressed body has no length to verify.
      'accept-encoding': 'identity',
      ...(login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }),
    },
    body: undefined,
    asksFirst: false,
  };
}

/** The target of a redirect; the login is sent only to the same host, and not from TLS to plain HTTP. */
export function redirected(url: URL, location: string): URL {
  if (!URL.canParse(location, url.href)) {
    throw new SyncerError('bad-answer', `${url.host} redirects to an invalid URL`);
  }
  const next = parseHttpUrl(new URL(location, url.href).href);
  const isSafe = next.protocol === 'https:' || url.protocol === 'http:';
  if (next.host === url.host && isSafe && next.username === '') {
    next.username = url.username;
    next.password = url.password;
  }
  return next;
}

/** Parses a URL. Throws `usage` if it is not HTTP. */
export function parseHttpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  const why = url === undefined ? 'not a URL' : `unsupported protocol ${url.protocol.slice(0, -1)}`;
  const shown = text.replace(/\/\/[^/@]*@/, '//');
  throw new SyncerError('usage', `${why}: "${shown}" (use http:// or https://)`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
