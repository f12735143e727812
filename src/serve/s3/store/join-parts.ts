import { closeSync, constants, linkSync } from 'node:fs';
import { readAll, writeAll } from '../../../system/file-bytes.ts';
import type { Bucket } from './bucket.ts';
import { makeTemporary } from './commit-object.ts';
import { JOINT_FILE, type Part, type Upload } from './upload.ts';

/** How much is copied at a time, in bytes. */
const BLOCK = 1024 * 1024;

/**
 * The content of an upload as one partial file; returns its name in the bucket. If the parts are already contiguous
 * in one file, that file gets a second name and nothing is copied.
 */
export async function joinParts(
  bucket: Bucket,
  upload: Upload,
  parts: readonly Part[],
): Promise<string> {
  if (lieInOrder(bucket, upload, parts)) {
    bucket.mustExist();
    const file = bucket.folder.temporary();
    linkSync(bucket.folder.at(`${upload.path}/${JOINT_FILE}`), bucket.folder.at(file));
    return file;
  }
  const { file, fd } = makeTemporary(bucket);
  try {
    let at = 0;
    for (const part of parts) {
      await copyPart(upload, part, fd, at);
      at += part.size;
    }
  } catch (error) {
    bucket.folder.remove(file);
    throw error;
  } finally {
    closeSync(fd);
  }
  return file;
}

function lieInOrder({ folder }: Bucket, upload: Upload, parts: readonly Part[]): boolean {
  if (upload.receiving.size > 0) return false;
  let total = 0;
  for (const part of parts) {
    if (part.file !== JOINT_FILE || part.offset !== total) return false;
    total += part.size;
  }
  return folder.fileAt(`${upload.path}/${JOINT_FILE}`)?.size === total;
}

async function copyPart(upload: Upload, part: Part, to: number, at: number): Promise<void> {
  const from = upload.open(part.file, constants.O_RDONLY);
  try {
    const buffer = Buffer.allocUnsafe(Math.min(BLOCK, Math.max(1, part.size)));
    for (let done = 0; done < part.size; ) {
      const wanted = buffer.subarray(0, part.size - done);
      const block = await readAll(from, wanted, part.offset + done);
      if (block.length === 0) throw new Error(`part ${part.number} of an upload is cut short`);
      await writeAll(to, block, at + done);
      done += block.length;
    }
  } finally {
    closeSync(from);
  }
}
