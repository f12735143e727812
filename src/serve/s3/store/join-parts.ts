import { linkSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Bucket } from './bucket.ts';
import type { PartSizes } from './object-record.ts';
import { JOINT_FILE, type Part, type Upload } from './upload.ts';
import { makeTemporary } from './write-object.ts';

/** How much is copied at once, in bytes. */
const BLOCK = 1024 * 1024;

/**
 * The content of an upload as one half-written file; gives its path. Where the parts already lie one behind
 * the other in one file, that file gets a second name and nothing is copied.
 */
export async function joinParts(
  bucket: Bucket,
  upload: Upload,
  parts: readonly Part[],
): Promise<string> {
  if (lieInOrder(upload, parts)) {
    const path = makeTemporary(bucket);
    rmSync(path);
    linkSync(`${upload.path}/${JOINT_FILE}`, path);
    return path;
  }
  const path = makeTemporary(bucket);
  try {
    const target = await open(path, 'r+');
    try {
      let at = 0;
      for (const part of parts) {
        await copyPart(upload, part, target, at);
        at += part.size;
      }
    } finally {
      await target.close();
    }
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
  return path;
}

function lieInOrder(upload: Upload, parts: readonly Part[]): boolean {
  if (upload.receiving.size > 0) return false;
  let total = 0;
  for (const part of parts) {
    if (part.file !== JOINT_FILE || part.offset !== total) return false;
    total += part.size;
  }
  return statSync(`${upload.path}/${JOINT_FILE}`).size === total;
}

async function copyPart(upload: Upload, part: Part, to: FileHandle, at: number): Promise<void> {
  const from = await open(`${upload.path}/${part.file}`, 'r');
  try {
    const buffer = Buffer.allocUnsafe(Math.min(BLOCK, Math.max(1, part.size)));
    for (let done = 0; done < part.size; ) {
      const length = Math.min(buffer.length, part.size - done);
      const { bytesRead } = await from.read(buffer, 0, length, part.offset + done);
      if (bytesRead === 0) throw new Error(`part ${part.number} of an upload is cut short`);
      let written = 0;
      while (written < bytesRead) {
        const result = await to.write(buffer, written, bytesRead - written, at + done + written);
        written += result.bytesWritten;
      }
      done += bytesRead;
    }
  } finally {
    await from.close();
  }
}

/** Sizes of parts in the form in which they are kept. */
export function partSizes(parts: readonly Part[]): PartSizes {
  const runs: [count: number, size: number][] = [];
  for (const { size } of parts) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === size) last[0]++;
    else runs.push([1, size]);
  }
  return runs;
}
