import fs from 'node:fs';
import { promisify } from 'node:util';
import { bodyChunks } from '../../core/body.ts';
import { contentCheck } from '../../core/content-check.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Hashes } from '../../core/hash-names.ts';
import type { Op, WriteSource } from '../../core/remote.ts';
import type { LocalDisk } from './local-disk.ts';
import { gather, writeGathered } from './write-all.ts';

const read = promisify(fs.read);

/** Parts begin at multiples of this many bytes. */
const ALIGNMENT = 1024 * 1024;

/** How much is read at once when the whole is verified, in bytes. */
const CHUNK = 1024 * 1024;

/** A source whose size is known. */
type SizedSource = WriteSource & { readonly size: number };

/**
 * Writes a large file in several ranges at once, each from a body of its own, and then verifies the whole by
 * the promised hashes in one pass over what was written.
 */
export async function writeParts(
  disk: LocalDisk,
  source: SizedSource,
  fd: number,
  op: Op,
): Promise<Hashes> {
  const failing = new AbortController();
  const signal = AbortSignal.any([op.signal, failing.signal]);
  const parts = partsOf(source.size, disk.settings.parts).map(async (part) => {
    try {
      await writePart(source, part, fd, signal);
    } catch (thrown) {
      failing.abort(thrown);
      throw thrown;
    }
  });
  // All must have ended before the file is closed.
  const ended = await Promise.allSettled(parts);
  op.signal.throwIfAborted();
  if (failing.signal.aborted) throw failing.signal.reason;
  if (ended.length === 0 || source.hashes === undefined) return {};
  return verifyWritten(source, fd, op);
}

/** A range of the file. */
export interface Part {
  readonly offset: number;
  readonly length: number;
}

/** Cuts `size` bytes into at most `count` ranges of about the same length. */
export function partsOf(size: number, count: number): Part[] {
  const length = Math.ceil(size / count / ALIGNMENT) * ALIGNMENT;
  const parts: Part[] = [];
  for (let offset = 0; offset < size; offset += length) {
    parts.push({ offset, length: Math.min(length, size - offset) });
  }
  return parts;
}

async function writePart(
  source: SizedSource,
  part: Part,
  fd: number,
  signal: AbortSignal,
): Promise<void> {
  const body = await source.open(part, { signal });
  let written = 0;
  // One group is written while the next one comes.
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const { chunks, size } of gather(bodyChunks(body, signal))) {
      if (written + size > part.length) throw wrongSize(source, 'more');
      await writing;
      writing = writeGathered(fd, chunks, part.offset + written);
      writing.catch(() => undefined);
      written += size;
    }
  } finally {
    await writing.catch(() => undefined);
  }
  await writing;
  if (written < part.length) throw wrongSize(source, 'fewer');
}

function wrongSize(source: SizedSource, what: string): SyncerError {
  const message = `corrupted on transfer: got ${what} bytes than the expected ${source.size}`;
  return new SyncerError('corrupted', message, { path: source.path });
}

async function verifyWritten(source: SizedSource, fd: number, op: Op): Promise<Hashes> {
  const check = contentCheck(source);
  const buffer = Buffer.allocUnsafeSlow(CHUNK);
  for (let position = 0; ; ) {
    op.signal.throwIfAborted();
    const { bytesRead } = await read(fd, buffer, 0, CHUNK, position);
    if (bytesRead === 0) return check.finish().hashes;
    check.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}
