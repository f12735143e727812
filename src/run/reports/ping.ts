import { randomUUID } from 'node:crypto';
import { HttpClient } from '../../backends/http/http-client.ts';
import { originOf } from '../../backends/http/http-request.ts';
import type { TransportOptions } from '../../backends/http/network-options.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { parseHttpUrl } from '../../shell/url-request.ts';

/** All tries of a ping together may take so long, in milliseconds. */
const MOST_MS = 10_000;

const TRIES = 3;

/** The pause before another try, in milliseconds. */
const PAUSE_MS = 500;

/** healthchecks keeps the first 100 kB of a body. */
const MOST_BODY = 100_000;

/** Pings of a run to a service that monitors jobs. */
export interface Pings {
  /** Sends the first ping. Never rejects: `onFailure` is called. */
  start(): Promise<void>;
  /** Sends the last ping, after the first one. Never rejects. */
  end(exit: number, body: string): Promise<void>;
}

/**
 * Pings as healthchecks.io and compatible services take them: `URL/start`, then `URL/EXIT-CODE` with a summary, both
 * with the same `rid`, which has to be a UUID and so is not the id of the run. Throws `usage` if the URL is none.
 *
 * @param onFailure called once with why a ping failed, without the path of the URL, which is a secret
 */
export function openPings(
  text: string,
  transport: TransportOptions,
  onFailure: (message: string) => void,
): Pings {
  const base = parseHttpUrl(text);
  const rid = randomUUID();
  const http = new HttpClient(transport, performanceClock);
  let started = Promise.resolve();
  let isTold = false;
  const send = async (suffix: string, body: string) => {
    try {
      await sendWithTries(http, transport.userAgent, pingUrl(base, suffix, rid), body);
    } catch (thrown) {
      const { message } = toSyncerError(thrown);
      if (!isTold) onFailure(`The ping to ${base.host} failed: ${message}`);
      isTold = true;
    }
  };
  return {
    start() {
      started = send('start', '');
      return started;
    },
    async end(exit, body) {
      await started;
      await send(`${exit}`, body);
      http.close();
    },
  };
}

const performanceClock = { monotonic: () => performance.now() };

function pingUrl(base: URL, suffix: string, rid: string): URL {
  const url = new URL(base.href);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${suffix}`;
  url.searchParams.set('rid', rid);
  return url;
}

async function sendWithTries(
  http: HttpClient,
  userAgent: string,
  url: URL,
  text: string,
): Promise<void> {
  const until = performance.now() + MOST_MS;
  let failure: unknown;
  for (let tried = 0; tried < TRIES; tried++) {
    const left = until - performance.now();
    if (left <= 0) break;
    // A server that does not answer leaves time for another try.
    const signal = AbortSignal.timeout(Math.ceil(left / (TRIES - tried)));
    try {
      const status = await post(
        http,
        userAgent,
        url,
        Buffer.from(text).subarray(0, MOST_BODY),
        signal,
      );
      if (status >= 200 && status < 300) return;
      failure = new SyncerError('server', `the server answered with status ${status}`);
      if (status < 500 && status !== 429) break;
    } catch (thrown) {
      failure = signal.aborted ? new SyncerError('timed-out', 'no answer in time') : thrown;
    }
    if (tried + 1 < TRIES) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw failure;
}

async function post(
  http: HttpClient,
  userAgent: string,
  url: URL,
  body: Buffer,
  signal: AbortSignal,
): Promise<number> {
  const answer = await http.send(
    {
      method: 'POST',
      origin: originOf(url),
      target: url.pathname + url.search,
      isSecretTarget: true,
      headers: {
        host: url.host,
        'user-agent': userAgent,
        'content-type': 'text/plain; charset=utf-8',
        'content-length': `${body.length}`,
      },
      body,
      asksFirst: false,
    },
    signal,
  );
  answer.discard();
  return answer.status;
}
