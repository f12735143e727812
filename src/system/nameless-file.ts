import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SyncerError } from '../core/errors.ts';
import { writeNow } from './file-bytes.ts';

/** A temporary file without a name. */
export type NamelessFile = ReturnType<typeof namelessFile>;

/**
 * A temporary file without a name from the beginning, so that nothing is left of it, however the process ends. All
 * methods throw `no-space`, or `other` as the disk does.
 *
 * @param title for messages
 * @param advice what to do if the disk is full
 */
export function namelessFile(title: string, advice: string, folder = tmpdir()) {
  const onDisk = <T>(work: () => T) => {
    try {
      return work();
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      const text = `${title} in ${tmpdir()}: ${message}`;
      if (code === 'ENOSPC' || code === 'EDQUOT')
        throw new SyncerError('no-space', text, { advice, cause });
      throw new SyncerError('other', text, { cause });
    }
  };
  const path = join(folder, `syncer-${randomUUID()}`);
  const fd = onDisk(() => fs.openSync(path, 'wx+', 0o600));
  onDisk(() => fs.unlinkSync(path));
  let end = 0;
  let isOpen = true;
  return {
    /** In bytes. */
    get length() {
      return end;
    },
    /** Writes bytes at the end. */
    append(bytes: Uint8Array) {
      onDisk(() => writeNow(fd, bytes, end));
      end += bytes.length;
    },
    read(offset: number, length: number) {
      const bytes = Buffer.allocUnsafe(length);
      const read = onDisk(() => fs.readSync(fd, bytes, 0, length, offset));
      if (read !== length) throw new SyncerError('other', `${title} was cut short`);
      return bytes;
    },
    close() {
      if (isOpen) fs.closeSync(fd);
      isOpen = false;
    },
  };
}
