import fs from 'node:fs';
import { promisify } from 'node:util';

const write = promisify(fs.write);

/**
 * Writes the whole of a buffer, also where the system takes only a part at a time; at `position` where it is
 * given, otherwise where the last write ended.
 */
export async function writeAll(fd: number, content: Buffer, position?: number): Promise<void> {
  for (let at = 0; at < content.length; ) {
    const where = position === undefined ? null : position + at;
    const { bytesWritten } = await write(fd, content, at, content.length - at, where);
    at += bytesWritten;
  }
}
