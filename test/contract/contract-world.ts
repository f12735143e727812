import { createCipheriv, createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { collectBody } from '../../src/core/body.ts';
import { type ErrorCode, SyncerError } from '../../src/core/errors.ts';
import type {
  Body,
  Entry,
  FailedEntry,
  FileEntry,
  Op,
  ReadRange,
  Remote,
  WriteSource,
} from '../../src/core/remote.ts';
import { listDir } from '../../src/core/remote-calls.ts';
import { joinPath } from '../../src/core/remote-path.ts';

/** A time with all nine decimals in use: 2023-11-14T22:13:20.123456789Z. */
export const SOME_TIME = 1_700_000_000_123_456_789n;

/** A signal that is never aborted. */
export const OP: Op = { signal: new AbortController().signal };

/** What one test works in: a directory of its own in the remote, and the steps that most tests take. */
export class World {
  readonly remote: Remote;
  /** The test's own directory; nothing has been made there yet. */
  readonly dir: string;
  /** How many entries a listing page has at most. */
  readonly pageSize: number;

  constructor(remote: Remote, dir: string, pageSize: number) {
    this.remote = remote;
    this.dir = dir;
    this.pageSize = pageSize;
  }

  /** The path of something in the test's directory. */
  at(path: string): string {
    return joinPath(this.dir, path);
  }

  /** Writes a file from a Buffer or text. */
  put(path: string, content: string | Buffer, more: Partial<WriteSource> = {}): Promise<FileEntry> {
    return this.remote.write({ ...bufferSource(this.at(path), content), ...more }, OP);
  }

  /** The content of a file, or a range of it. */
  async read(path: string, range?: ReadRange): Promise<Buffer> {
    const file = await this.file(path);
    return collectBody(await this.remote.read(file, range, OP), OP.signal);
  }

  /** The content as text. */
  async text(path: string): Promise<string> {
    return (await this.read(path)).toString();
  }

  /** The entry of a file that must exist. */
  async file(path: string): Promise<FileEntry> {
    const entry = await this.remote.stat(this.at(path), OP);
    if (entry?.kind !== 'file') throw new Error(`no file at ${path}`);
    return entry;
  }

  /** The entry of a file with all that can be known of it. */
  async details(path: string): Promise<FileEntry> {
    const file = await this.file(path);
    return this.remote.can.details?.read(file, OP) ?? file;
  }

  /** All entries of a directory, over all pages. */
  async entries(dir = ''): Promise<Entry[]> {
    const all: Entry[] = [];
    for await (const page of listDir(this.remote, this.at(dir), OP, raise)) all.push(...page);
    return all;
  }

  /** The names in a directory in the order they come, directories with a slash. */
  async names(dir = ''): Promise<string[]> {
    const prefix = this.at(dir);
    return (await this.entries(dir)).map(
      (entry) => entry.path.slice(prefix.length + 1) + (entry.kind === 'dir' ? '/' : ''),
    );
  }
}

/** A source that can be opened many times, in ranges. */
export function bufferSource(path: string, content: string | Buffer): WriteSource {
  const bytes = Buffer.from(content);
  return {
    path,
    size: bytes.length,
    modTime: SOME_TIME,
    seekable: true,
    open: async (range) => slice(bytes, range),
  };
}

/** A source that is one stream, to be read once: the chunks as given; an `Error` among them breaks it. */
export function streamSource(
  path: string,
  size: number | undefined,
  chunks: Iterable<Buffer | Error> | AsyncIterable<Buffer | Error>,
): WriteSource {
  async function* flow() {
    for await (const chunk of chunks) {
      if (chunk instanceof Error) throw chunk;
      yield chunk;
    }
  }
  const open = async (): Promise<Body> => Readable.from(flow(), { objectMode: false });
  return { path, size, modTime: SOME_TIME, seekable: false, open };
}

/** Bytes that look random and are the same in every run. */
export function noise(size: number, seed = 1): Buffer {
  const key = Buffer.alloc(16);
  key.writeUInt32LE(seed);
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size));
}

/** MD5 in hexadecimal. */
export function md5(bytes: Buffer | string): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** Waits for a rejection and checks that it is a `SyncerError` of one of these codes, told in one line. */
export async function expectError(
  promise: Promise<unknown>,
  ...codes: ErrorCode[]
): Promise<SyncerError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(SyncerError);
  const error = thrown as SyncerError;
  expect(codes.length === 0 ? [error.code] : codes).toContain(error.code);
  expect(error.message).toMatch(/^[^\n]+$/);
  return error;
}

function slice(bytes: Buffer, range: ReadRange | undefined): Buffer {
  const from = range?.offset ?? 0;
  return bytes.subarray(from, range?.length === undefined ? undefined : from + range.length);
}

function raise({ error }: FailedEntry): never {
  throw error;
}
