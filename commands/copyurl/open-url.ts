import { STATUS_CODES } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { HttpAnswer } from '../../src/backends/http/answer.ts';
import type { HttpHeaders } from '../../src/backends/http/answer-parser.ts';
import { bodyAsStream } from '../../src/backends/http/body-as-stream.ts';
import { StaleConnection } from '../../src/backends/http/connection-error.ts';
import { HttpClient } from '../../src/backends/http/http-client.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { transportOptions } from '../../src/run/remotes/transport-options.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { MOST_REDIRECTS, passing, redirected, requestOf } from '../../src/shell/url-request.ts';

/** The content of a URL, ready to be read. */
export interface OpenedUrl {
  /** The URL after all redirects. */
  readonly url: URL;
  readonly headers: HttpHeaders;
  /** In bytes; `undefined` if the server does not say. */
  readonly size: number | undefined;
  /** Fails with `body-cut` if it is truncated. Must be read or destroyed. */
  readonly body: Readable;
}

/** What is needed to open URLs. */
export interface UrlReader {
  readonly http: HttpClient;
  readonly userAgent: string;
  /** Waits until the next request may be sent. */
  readonly takeTransaction?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** Other success codes return a part of the content, or another one. */
const WHOLE: readonly number[] = [200, 203];

/** Opens URLs with the flags for the network. */
export async function openUrlReader({ flags, env, context }: Invocation): Promise<UrlReader> {
  const transport = await transportOptions(flags, env, context.clock, context.emit);
  const { userAgent, takeTransaction } = transport;
  return { http: new HttpClient(transport, context.clock), userAgent, takeTransaction };
}

/** Requests a URL and follows redirects. Rejects if the response is not a success. */
export async function openUrl(
  reader: UrlReader,
  from: URL,
  signal: AbortSignal,
): Promise<OpenedUrl> {
  let url = from;
  for (let redirects = 0; ; redirects++) {
    const answer = await ask(reader, url, signal);
    const { status, headers } = answer;
    if (WHOLE.includes(status)) return opened(url, answer);
    answer.discard();
    const { location } = headers;
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
      throw refusal(status, url);
    }
    if (redirects >= MOST_REDIRECTS) {
      throw new SyncerError(
        'bad-answer',
        `${url.host} redirects more than ${MOST_REDIRECTS} times`,
      );
    }
    url = redirected(url, location);
  }
}

async function ask(
  { http, userAgent, takeTransaction }: UrlReader,
  url: URL,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  for (;;) {
    await takeTransaction?.(signal);
    try {
      return await http.send(requestOf(url, userAgent), signal);
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof StaleConnection)) throw passing(thrown);
    }
  }
}

/** Decompresses a body that the server stores compressed, as Go does. */
function opened(url: URL, answer: HttpAnswer): OpenedUrl {
  const { headers, announcedLength } = answer;
  const body = bodyAsStream(answer, announcedLength);
  if (!/^(x-)?gzip$/i.test(headers['content-encoding']?.trim() ?? '')) {
    return { url, headers, size: announcedLength, body };
  }
  const plain = createGunzip();
  body.on('error', (error) => plain.destroy(error));
  plain.on('close', () => body.destroy());
  return { url, headers, size: undefined, body: body.pipe(plain) };
}

function refusal(status: number, url: URL): SyncerError {
  const code =
    status === 429
      ? 'throttled'
      : status >= 500
        ? 'server'
        : status === 401 || status === 403
          ? 'access-denied'
          : 'other';
  const reason = `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  const why = status < 300 ? ', which is not the whole file' : '';
  return new SyncerError(code, `CopyURL failed: ${reason} from ${url.host}${why}`);
}
