import { STATUS_CODES } from 'node:http';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { bodyAsStream, type HttpAnswer } from '../../src/backends/http/answer.ts';
import { StaleConnection } from '../../src/backends/http/connection-error.ts';
import { HttpClient } from '../../src/backends/http/http-client.ts';
import { plainRemoteSpec } from '../../src/config/remote-spec.ts';
import { bodyChunks, wholeSource } from '../../src/core/body.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { mapAtOnce } from '../../src/core/map-at-once.ts';
import { modTimeFromMs } from '../../src/core/mod-time.ts';
import { nameFromBytes, userText } from '../../src/core/name-bytes.ts';
import type { Remote } from '../../src/core/remote.ts';
import type { Run } from '../../src/engine/run.ts';
import { splitFileSpec } from '../../src/run/remotes/file-or-directory.ts';
import { transportOptions } from '../../src/run/remotes/transport-options.ts';
import {
  readHead,
  shownTransfer,
  slowedChunks,
  streamSource,
  uploadTarget,
} from '../../src/run/transfer/input-source.ts';
import { runAttempts } from '../../src/run/transfer/run-attempts.ts';
import { openDestination } from '../../src/run/transfer/transfer.ts';
import type {
  Changing,
  CommandCall,
  Environment,
  Remotes,
  StandardInput,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { readCsvRecord } from '../../src/shell/command-line/csv-record.ts';
import {
  MOST_REDIRECTS,
  parseHttpUrl,
  passing,
  redirected,
  requestOf,
} from '../../src/shell/url-request.ts';
import { readWhole } from '../../src/system/read-whole.ts';
import type { COPYURL_FLAGS } from './command.ts';

type CopyUrlNeeds = CommandCall<typeof COPYURL_FLAGS> &
  Environment &
  Remotes &
  StandardOutput &
  StandardInput &
  Changing;

/**
 * Requests a URL and follows redirects. Rejects if the response is not a success. `body` must be read or destroyed, and
 * fails with `body-cut` if it is truncated.
 */
type OpenUrl = ReturnType<typeof urlOpener>;

export async function copyurlCommand(invocation: CopyUrlNeeds): Promise<void> {
  const { args, flags, env, context, out } = invocation;
  const [from = '', to] = args;
  if (to === undefined && !flags.stdout) {
    throw new SyncerError('usage', 'copyurl takes 2 arguments unless --stdout is given');
  }
  const transport = await transportOptions(flags, env, context.clock, context.emit);
  const http = new HttpClient(transport, context.clock);
  const open = urlOpener(http, transport);
  try {
    if (flags.urls) return await copyUrls(invocation, open, from, to ?? '-');
    const url = parseHttpUrl(from);
    if (flags.stdout || to === '-') return await writeUrl(invocation, open, url);
    const isDir = flags['auto-filename'];
    const { dir, leaf } = isDir ? { dir: to ?? '', leaf: undefined } : splitFileSpec(to ?? '');
    const remote = await (isDir
      ? openDestination(invocation, dir)
      : invocation.remotes.openDir(dir));
    context.emit({ type: 'sides', dest: plainRemoteSpec(dir) });
    let stored: string | undefined;
    await runAttempts(invocation, async (attempt) => {
      stored = (await storeUrl(invocation, attempt, open, url, remote, leaf)) ?? stored;
    });
    if (flags['print-filename'] && stored !== undefined) await out.write(`${stored}\n`);
  } finally {
    http.close();
  }
}

/** A line of a list of URLs. */
export interface ListedUrl {
  readonly url: string;
  /** Path of the file in the destination; `undefined`: the name is taken from the URL. */
  readonly name: string | undefined;
}

/**
 * Reads lines `URL` or `URL,NAME` in CSV; NAME may begin with directories. Throws `config` for a line that is no CSV,
 * a name that leads out of the destination, and a name that is there twice.
 */
export function readUrlList(text: string): readonly ListedUrl[] {
  const lines = new Map<string, number>();
  return text.split('\n').flatMap((line, index): ListedUrl[] => {
    const broken = (why: string) =>
      new SyncerError('config', `cannot read line ${index + 1} of the list of URLs: ${why}`);
    if (line.trim() === '') return [];
    let record: string[];
    try {
      record = readCsvRecord(line);
    } catch (thrown) {
      throw broken(toSyncerError(thrown).message);
    }
    const [url = '', path = ''] = record.map((value) => value.trim());
    const name = path
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .join('/');
    if (name.split('/').includes('..')) throw broken(`"${path}" leads out of the destination`);
    const before = lines.get(name);
    if (before !== undefined) throw broken(`"${name}" is the name of line ${before} too`);
    if (name !== '') lines.set(name, index + 1);
    return [{ url, name: name || undefined }];
  });
}

/** `copyurl --urls`: copies all URLs of a list to a directory, `--transfers` at the same time; tries failed ones again. */
async function copyUrls(
  invocation: CopyUrlNeeds,
  open: OpenUrl,
  list: string,
  to: string,
): Promise<void> {
  const { flags, context, input } = invocation;
  const limits = { mostBytes: 256 * 1024 ** 2, signal: context.signal };
  let text: string;
  try {
    text = userText(list === '-' ? await buffer(input()) : await readWhole(resolve(list), limits));
  } catch (cause) {
    const why = toSyncerError(cause).message;
    const message = `cannot read the list of URLs ${list}: ${why}`;
    throw new SyncerError('config', message, { path: list, cause });
  }
  let waiting = readUrlList(text);
  const remote = await openDestination(invocation, to);
  await runAttempts(invocation, async (attempt) => {
    const failed: ListedUrl[] = [];
    await mapAtOnce(waiting, Math.max(1, flags.transfers ?? 4), async (listed) => {
      if (context.signal.aborted) return;
      const { url, name } = listed;
      try {
        await storeUrl(invocation, attempt, open, parseHttpUrl(url), remote, name);
      } catch (thrown) {
        attempt.fail(thrown, name ?? url);
        failed.push(listed);
      }
    });
    waiting = failed;
  });
}

/**
 * One attempt to store a URL as a file, which appears when it is complete, under `name` or the name that the URL or its
 * response has. Resolves to its path; `undefined` if it may not be written. Content of unknown size is buffered up to
 * `--streaming-upload-cutoff`.
 */
async function storeUrl(
  invocation: CopyUrlNeeds,
  run: Run,
  open: OpenUrl,
  from: URL,
  remote: Remote,
  name: string | undefined,
): Promise<string | undefined> {
  const { flags, context, bandwidth } = invocation;
  const { op } = run;
  const { url, size, headers, body } = await open(from, op.signal);
  try {
    const byHeader = flags['header-filename'];
    const path =
      name ?? (byHeader ? nameFromDisposition(headers['content-disposition']) : nameFromUrl(url));
    if (path === undefined) {
      const where = byHeader ? 'the Content-Disposition header' : 'the URL';
      throw new SyncerError('other', `CopyURL failed: there is no file name in ${where}`);
    }
    if (flags['no-clobber'] && (await remote.stat(path, op))?.kind === 'file') {
      throw new SyncerError('already-exists', `CopyURL failed: ${path} already exists`, { path });
    }
    if (!(await run.mayChange({ do: 'other', words: 'upload from pipe', about: path }))) return;
    const modifiedMs = Date.parse(headers['last-modified'] ?? '');
    const modTime = modTimeFromMs(Number.isNaN(modifiedMs) ? context.clock.now() : modifiedMs);
    const target = uploadTarget(invocation, path, modTime);
    const id = ++run.ids.last;
    const slowDown = async (bytes: number) => {
      context.emit({ type: 'transfer-bytes', id, bytes });
      await bandwidth?.take(bytes, { up: !remote.traits.onDisk, down: true }, op.signal);
    };
    await shownTransfer(context, { id, path, size: size ?? -1 }, async () => {
      const { head, rest } =
        size === undefined
          ? await readHead(body, flags['streaming-upload-cutoff'])
          : { head: Buffer.alloc(0), rest: body };
      if (rest === undefined) {
        await slowDown(head.length);
        await remote.write(wholeSource(target, head), op);
      } else await remote.write(streamSource(target, size, slowedChunks(head, rest, slowDown)), op);
      run.log('info', path, 'copied', { how: 'new', to: undefined, size: -1 });
    });
    return path;
  } finally {
    body.destroy();
  }
}

/** The last part of a URL's path; `undefined` if the path is empty. */
export function nameFromUrl(url: URL): string | undefined {
  return baseName(nameFromBytes(percentDecoded(url.pathname)));
}

/**
 * The file name in a `Content-Disposition` header (RFC 6266), without directories; `filename*` takes precedence.
 * `undefined` if there is none.
 */
export function nameFromDisposition(header: string | undefined): string | undefined {
  const params = new Map<string, string>();
  const parameter = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gs;
  for (const [, name = '', quoted, plain] of (header ?? '').matchAll(parameter)) {
    // A backslash before a letter belongs to a Windows path, as in Go.
    const value = quoted?.replace(/\\(["\\])/g, '$1') ?? plain ?? '';
    params.set(name.toLowerCase(), value);
  }
  const extended = /^([^']*)'[^']*'(.*)$/s.exec(params.get('filename*') ?? '');
  const name = extended === null ? params.get('filename') : decoded(extended[1], extended[2]);
  return name === undefined ? undefined : baseName(name.replaceAll('\\', '/'));
}

/** A value of RFC 8187 in UTF-8 or Latin-1; other character sets are not supported. */
function decoded(charset = '', text = ''): string | undefined {
  const bytes = percentDecoded(text);
  if (/^utf-8$/i.test(charset)) return nameFromBytes(bytes);
  return /^(iso-8859-1|us-ascii)$/i.test(charset) ? bytes.toString('latin1') : undefined;
}

function percentDecoded(text: string): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { index, 0: code } of text.matchAll(/%[\da-f]{2}/gi)) {
    parts.push(Buffer.from(text.slice(from, index)), Buffer.from(code.slice(1), 'hex'));
    from = index + code.length;
  }
  return Buffer.concat([...parts, Buffer.from(text.slice(from))]);
}

function baseName(path: string): string | undefined {
  const name = path.replace(/\/+$/, '').replace(/^.*\//s, '');
  return ['', '.', '..'].includes(name) || name.includes('\0') ? undefined : name;
}

/** Writes a URL to standard output. Does not retry after the first byte was written. */
async function writeUrl(invocation: CopyUrlNeeds, open: OpenUrl, url: URL): Promise<void> {
  const { bandwidth, out } = invocation;
  await runAttempts(invocation, async ({ op }) => {
    const { signal } = op;
    const { body } = await open(url, signal);
    let hasBegun = false;
    try {
      for await (const chunk of bodyChunks(body, signal)) {
        await bandwidth?.take(chunk.length, { up: false, down: true }, signal);
        hasBegun = true;
        await out.write(chunk);
      }
    } catch (thrown) {
      signal.throwIfAborted();
      if (!hasBegun) throw thrown;
      throw new SyncerError('other', toSyncerError(thrown).message, { cause: thrown });
    }
  });
}

function urlOpener(
  http: HttpClient,
  { userAgent, takeTransaction }: Awaited<ReturnType<typeof transportOptions>>,
) {
  const ask = async (url: URL, signal: AbortSignal) => {
    for (;;) {
      await takeTransaction?.(signal);
      try {
        return await http.send(requestOf(url, userAgent), signal);
      } catch (thrown) {
        signal.throwIfAborted();
        if (!(thrown instanceof StaleConnection)) throw passing(thrown);
      }
    }
  };
  return async (from: URL, signal: AbortSignal) => {
    let url = from;
    for (let redirects = 0; ; redirects++) {
      const answer = await ask(url, signal);
      const { status, headers } = answer;
      // Other success codes return a part of the content, or another one.
      if (status === 200 || status === 203) return opened(url, answer);
      answer.discard();
      const { location } = headers;
      if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
        throw refusal(status, url);
      }
      if (redirects >= MOST_REDIRECTS) {
        const text = `${url.host} redirects more than ${MOST_REDIRECTS} times`;
        throw new SyncerError('bad-answer', text);
      }
      url = redirected(url, location);
    }
  };
}

/**
 * The content of a URL, after all redirects, with its size, if the server reports it. Decompresses a body that the server
 * stores compressed, as Go does.
 */
function opened(url: URL, answer: HttpAnswer) {
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
  const known = { 401: 'access-denied', 403: 'access-denied', 429: 'throttled' } as const;
  const code = known[status as keyof typeof known] ?? (status >= 500 ? 'server' : 'other');
  const reason = `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  const why = status < 300 ? ', which is not the whole file' : '';
  return new SyncerError(code, `CopyURL failed: ${reason} from ${url.host}${why}`);
}
