import { readFile } from 'node:fs/promises';
import { bodyAsStream, type HttpAnswer, readWhole } from '../../src/backends/http/answer.ts';
import { HttpClient } from '../../src/backends/http/http-client.ts';
import { systemClock } from '../../src/core/context.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { userText } from '../../src/core/name-bytes.ts';
import { MOST_REDIRECTS, requestOf } from '../../src/shell/url-request.ts';
import { VERSION } from '../../src/shell/version.ts';
import { onFile } from '../apply/file-error.ts';
import type { InstallerOptions } from '../read-options.ts';

/** No release is larger than this, in bytes. */
const LARGEST = 256 * 1024 * 1024;

/** Throws `bad-answer` for an answer without the file. */
function mustBeThere(answer: HttpAnswer): void {
  if (answer.status === 200) return;
  answer.discard();
  throw new SyncerError('bad-answer', `the server returned status ${answer.status}`);
}

/** Fetches the archive into memory. Rejects with what went wrong, the address in front. */
export async function downloadArchive(
  client: ReleaseClient,
  url: string,
  onProgress: (done: number, total: number | undefined) => void,
  signal: AbortSignal,
): Promise<Buffer> {
  try {
    const answer = await client.ask('GET', url, signal);
    mustBeThere(answer);
    const total = answer.announcedLength;
    const chunks: Buffer[] = [];
    let done = 0;
    onProgress(done, total);
    for await (const chunk of bodyAsStream(answer, total) as AsyncIterable<Buffer>) {
      done += chunk.length;
      if (done > LARGEST) throw new SyncerError('too-large', `it is larger than ${LARGEST} bytes`);
      chunks.push(chunk);
      onProgress(done, total);
    }
    return Buffer.concat(chunks);
  } catch (thrown) {
    throw failed(`download of ${url} failed`, thrown, signal);
  }
}

/**
 * The connectivity test: a HEAD request for the archive itself, redirects included, within `testMs` milliseconds. 200
 * means the direct way; anything else means the mirror. Resolves to what stands before every address, and, for people,
 * to what the test showed. Rejects with `unreachable` where there is no mirror.
 */
export async function testConnection(
  client: ReleaseClient,
  url: string,
  mirrorUrl: string | undefined,
  testMs: number,
  signal: AbortSignal,
) {
  const late = AbortSignal.timeout(testMs);
  let why: string;
  try {
    const answer = await client.ask('HEAD', url, AbortSignal.any([signal, late]));
    answer.discard();
    if (answer.status === 200) return { prefix: '', why: 'reachable: direct download' };
    why = `it returned status ${answer.status}`;
  } catch (thrown) {
    signal.throwIfAborted();
    why = late.aborted ? `no response within ${testMs / 1000} s` : toSyncerError(thrown).message;
  }
  if (mirrorUrl !== undefined)
    return { prefix: mirrorUrl, why: `${why}: download through the mirror` };
  throw new SyncerError(
    'unreachable',
    `cannot download ${url}: ${why}; use a mirror with --mirror-url, or a downloaded file with --archive`,
  );
}

/**
 * What the release host says the archive's SHA-256 is: the line of its name in `SHA256SUMS`. `undefined` where the
 * host has no such file. Rejects where the file is there and does not name the archive, or cannot be read.
 */
export async function publishedChecksum(
  client: ReleaseClient,
  url: string,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const answer = await client.ask('GET', url, signal);
    if ([403, 404, 410].includes(answer.status)) {
      answer.discard();
      return undefined;
    }
    mustBeThere(answer);
    return checksumOf((await readWhole(answer, 1024 * 1024)).toString('utf8'), name);
  } catch (thrown) {
    throw failed(`cannot download the checksums ${url}`, thrown, signal);
  }
}

/** What went wrong with a request, after what was tried; throws the reason of an abort. */
function failed(what: string, thrown: unknown, signal: AbortSignal): SyncerError {
  signal.throwIfAborted();
  const { code, message, cause } = toSyncerError(thrown);
  return new SyncerError(code, `${what}: ${message}`, { cause });
}

/** The checksum of `name` in a list as `sha256sum` writes it. Throws `bad-answer` where it is not there. Pure. */
export function checksumOf(list: string, name: string): string {
  for (const line of list.split(/\r?\n/)) {
    const [, sum, of] = /^([\da-fA-F]{64}) [ *](.+)$/.exec(line) ?? [];
    if (of?.replace(/^\.\//, '') === name && sum !== undefined) return sum.toLowerCase();
  }
  throw new SyncerError('bad-answer', `the list does not contain ${name}`);
}

export interface ReleaseClient {
  /** The answer at the end of all redirects. Rejects as the HTTP client does, and with the signal's reason. */
  ask(method: 'GET' | 'HEAD', url: string, signal: AbortSignal): Promise<HttpAnswer>;
  close(): void;
}

/** An HTTP client for releases, with the proxies of the environment. */
export async function releaseClient(
  { timeouts, caCert }: InstallerOptions,
  env: NodeJS.ProcessEnv,
): Promise<ReleaseClient> {
  const network = {
    connectTimeoutMs: timeouts.connectMs,
    timeoutMs: timeouts.stallMs,
    ...(caCert !== undefined && {
      caCertificates: await onFile('read', caCert, async () => userText(await readFile(caCert))),
    }),
    insecureTls: false,
    env,
  };
  const http = new HttpClient(network, systemClock);
  return {
    async ask(method, start, signal) {
      let url = new URL(start);
      for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
        const request = { ...requestOf(url, `webhook-installer/${VERSION}`), method };
        const answer = await http.send(request, signal).catch((thrown: unknown) => {
          const { code, message, cause } = toSyncerError(thrown);
          // It names a flag that there is not.
          const known = message.replace(/, --no-check-certificate .*$/, '');
          throw new SyncerError(code, known, { cause });
        });
        const next = redirect(answer, url);
        if (next === undefined) return answer;
        answer.discard();
        url = next;
      }
      throw new SyncerError('bad-answer', `${start}: more than ${MOST_REDIRECTS} redirects`);
    },
    close: () => http.close(),
  };
}

/** Where an answer sends the client on to. A connection without TLS is never the way on from one with. */
function redirect({ status, headers }: HttpAnswer, from: URL): URL | undefined {
  const location = headers['location'];
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined;
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const isSafe =
    to?.protocol === 'https:' || (to?.protocol === 'http:' && from.protocol === 'http:');
  if (to !== undefined && isSafe) return to;
  throw new SyncerError('bad-answer', `${from.host} redirects to an unsupported URL`);
}
