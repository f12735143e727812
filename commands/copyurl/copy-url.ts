import { bodyChunks, wholeSource } from '../../src/core/body.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { modTimeFromMs } from '../../src/core/mod-time.ts';
import { nameFromBytes } from '../../src/core/name-bytes.ts';
import type { Remote } from '../../src/core/remote.ts';
import type { Run } from '../../src/engine/run.ts';
import { readHead, slowedChunks } from '../../src/run/transfer/input-chunks.ts';
import { shownTransfer, streamSource, uploadTarget } from '../../src/run/transfer/input-source.ts';
import { runAttempts } from '../../src/run/transfer/run-attempts.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import type { COPYURL_FLAGS } from './command.ts';
import { type OpenedUrl, openUrl, type UrlReader } from './open-url.ts';

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
