import { STATUS_CODES } from 'node:http';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import type { HttpAnswer } from '../../src/backends/http/answer.ts';
import type { HttpHeaders } from '../../src/backends/http/answer-parser.ts';
import { bodyAsStream } from '../../src/backends/http/body-as-stream.ts';
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
import type { Invocation } from '../../src/shell/command-line/command.ts';
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

/** `syncer copyurl https://example.com dest:path` */
export async function copyurlCommand(invocation: Invocation<typeof COPYURL_FLAGS>): Promise<void> {
  const { args, flags } = invocation;
  const [from = '', to] = args;
  if (to === undefined && !flags.stdout) {
    throw new SyncerError('usage', 'copyurl takes 2 arguments unless --stdout is given');
  }
  const reader = await openUrlReader(invocation);
  try {
    if (flags.urls) return await copyUrls(invocation, reader, from, to ?? '-');
    const url = parseHttpUrl(from);
    if (flags.stdout || to === '-') await writeUrl(invocation, reader, url);
    else await copyUrl(invocation, reader, url, await openTarget(invocation, to ?? ''));
  } finally {
    reader.http.close();
  }
}

async function openTarget(
  invocation: Invocation<typeof COPYURL_FLAGS>,
  spec: string,
): Promise<UrlTarget> {
  const isDir = invocation.flags['auto-filename'];
  const { dir, leaf } = isDir ? { dir: spec, leaf: undefined } : splitFileSpec(spec);
  const open = isDir ? openDestination(invocation, dir) : invocation.remotes.openDir(dir);
  const target = { remote: await open, name: leaf };
  invocation.context.emit({ type: 'sides', dest: plainRemoteSpec(dir) });
  return target;
}

/** A line of a list of URLs. */
export interface ListedUrl {
  readonly url: string;
  /** Path of the file in the destination; `undefined`: the name is taken from the URL. */
  readonly name: string | undefined;
}

const MOST_BYTES = 256 * 1024 ** 2;
const DEFAULT_TRANSFERS = 4;

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
export async function copyUrls(
  invocation: Invocation<typeof COPYURL_FLAGS>,
  reader: UrlReader,
  list: string,
  to: string,
): Promise<void> {
  const { flags, context } = invocation;
  let waiting = readUrlList(await readList(invocation, list));
  const remote = await openDestination(invocation, to);
  await runAttempts(invocation, async (attempt) => {
    const failed: ListedUrl[] = [];
    const atOnce = Math.max(1, flags.transfers ?? DEFAULT_TRANSFERS);
    await mapAtOnce(waiting, atOnce, async (listed) => {
      if (context.signal.aborted) return;
      const { url, name } = listed;
      try {
        await storeOnce(invocation, attempt, reader, parseHttpUrl(url), { remote, name });
      } catch (thrown) {
        attempt.fail(thrown, name ?? url);
        failed.push(listed);
      }
    });
    waiting = failed;
  });
}

async function readList({ input, context }: Invocation, list: string): Promise<string> {
  const limits = { mostBytes: MOST_BYTES, signal: context.signal };
  try {
    return userText(list === '-' ? await buffer(input()) : await readWhole(resolve(list), limits));
  } catch (thrown) {
    const why = toSyncerError(thrown).message;
    throw new SyncerError('config', `cannot read the list of URLs ${list}: ${why}`, {
      path: list,
      cause: thrown,
    });
  }
}

/** The destination directory, and the file name unless the URL provides it. */
export interface UrlTarget {
  readonly remote: Remote;
  readonly name: string | undefined;
}

/** Copies a URL to a file, which appears when it is complete. */
export async function copyUrl(
  invocation: Invocation<typeof COPYURL_FLAGS>,
  reader: UrlReader,
  url: URL,
  target: UrlTarget,
): Promise<void> {
  const { flags, out } = invocation;
  let stored: string | undefined;
  await runAttempts(invocation, async (attempt) => {
    stored = (await storeOnce(invocation, attempt, reader, url, target)) ?? stored;
  });
  if (flags['print-filename'] && stored !== undefined) await out.write(`${stored}\n`);
}

/** One attempt. Resolves to the path of the file; `undefined` if it may not be written. */
export async function storeOnce(
  invocation: Invocation<typeof COPYURL_FLAGS>,
  attempt: Run,
  reader: UrlReader,
  url: URL,
  { remote, name }: UrlTarget,
): Promise<string | undefined> {
  const { flags } = invocation;
  const opened = await openUrl(reader, url, attempt.op.signal);
  try {
    const path = name ?? fileName(opened, flags['header-filename']);
    if (flags['no-clobber']) await refuseExisting(remote, path, attempt.op);
    return (await storeUrl(invocation, attempt, remote, path, opened)) ? path : undefined;
  } finally {
    opened.body.destroy();
  }
}

function fileName({ url, headers }: OpenedUrl, byHeader: boolean): string {
  const name = byHeader ? nameFromDisposition(headers['content-disposition']) : nameFromUrl(url);
  if (name !== undefined) return name;
  const where = byHeader ? 'the Content-Disposition header' : 'the URL';
  throw new SyncerError('other', `CopyURL failed: there is no file name in ${where}`);
}

async function refuseExisting(remote: Remote, path: string, op: Parameters<Remote['stat']>[1]) {
  if ((await remote.stat(path, op))?.kind !== 'file') return;
  throw new SyncerError('already-exists', `CopyURL failed: ${path} already exists`, { path });
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
  const params = parametersOf(header ?? '');
  const extended = /^([^']*)'[^']*'(.*)$/s.exec(params.get('filename*') ?? '');
  const name = extended === null ? params.get('filename') : decoded(extended[1], extended[2]);
  return name === undefined ? undefined : baseName(name.replaceAll('\\', '/'));
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gs;

function parametersOf(header: string): Map<string, string> {
  const params = new Map<string, string>();
  for (const [, name = '', quoted, plain] of header.matchAll(PARAMETER)) {
    // A backslash before a letter belongs to a Windows path, as in Go.
    const value = quoted?.replace(/\\(["\\])/g, '$1') ?? plain ?? '';
    params.set(name.toLowerCase(), value);
  }
  return params;
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

/**
 * Stores a URL as a file, which appears when it is complete. Resolves to `false` if that is not permitted. Content of
 * unknown size is buffered up to `--streaming-upload-cutoff`.
 */
async function storeUrl(
  { flags, context, bandwidth }: Invocation<typeof COPYURL_FLAGS>,
  run: Run,
  remote: Remote,
  path: string,
  { size, headers, body }: OpenedUrl,
): Promise<boolean> {
  const { signal } = run.op;
  if (!(await run.mayChange({ do: 'other', words: 'upload from pipe', about: path }))) return false;
  const modTime = modTimeFromMs(lastModified(headers) ?? context.clock.now());
  const target = uploadTarget({ flags, context }, path, modTime);
  const id = run.nextId();
  const { emit } = context;
  const route = { up: !remote.traits.onDisk, down: true };
  const slowDown = async (bytes: number) => {
    emit({ type: 'transfer-bytes', id, bytes });
    await bandwidth?.take(bytes, route, signal);
  };
  await shownTransfer(context, { id, path, size: size ?? -1 }, async () => {
    const input =
      size === undefined
        ? await readHead(body, flags['streaming-upload-cutoff'])
        : { head: Buffer.alloc(0), rest: body };
    if (input.rest === undefined) {
      await slowDown(input.head.length);
      await remote.write(wholeSource(target, input.head), run.op);
    } else {
      const chunks = slowedChunks(input.head, input.rest, slowDown);
      await remote.write(streamSource(target, size, chunks), run.op);
    }
    run.log('info', path, 'copied', { how: 'new', to: undefined, size: -1 });
  });
  return true;
}

/** The modification time on the server, in milliseconds since the epoch. */
function lastModified(headers: OpenedUrl['headers']): number | undefined {
  const ms = Date.parse(headers['last-modified'] ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** Writes a URL to standard output. Does not retry after the first byte was written. */
export async function writeUrl(
  invocation: Invocation<typeof COPYURL_FLAGS>,
  reader: UrlReader,
  url: URL,
): Promise<void> {
  const { bandwidth, out } = invocation;
  await runAttempts(invocation, async ({ op }) => {
    const { signal } = op;
    const { body } = await openUrl(reader, url, signal);
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
  const known = { 401: 'access-denied', 403: 'access-denied', 429: 'throttled' } as const;
  const code = known[status as keyof typeof known] ?? (status >= 500 ? 'server' : 'other');
  const reason = `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  const why = status < 300 ? ', which is not the whole file' : '';
  return new SyncerError(code, `CopyURL failed: ${reason} from ${url.host}${why}`);
}
