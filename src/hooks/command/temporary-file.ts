import { randomInt } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes a file for a command, readable by its user only, named after a variable. Rejects with an error whose
 * message is for the log.
 */
export async function writeTemporaryFile(
  folder: string,
  variable: string,
  content: Uint8Array,
): Promise<string> {
  if (variable.includes('/')) {
    throw new Error(`createtemp ${variable}: pattern contains path separator`);
  }
  const star = variable.lastIndexOf('*');
  const [before, after] =
    star < 0 ? [variable, ''] : [variable.slice(0, star), variable.slice(star + 1)];
  while (true) {
    const path = join(folder, `${before}${randomInt(2 ** 32)}${after}`);
    try {
      const file = await open(path, 'wx', 0o600);
      try {
        await file.writeFile(content);
      } catch (thrown) {
        await rm(path, { force: true });
        throw thrown;
      } finally {
        await file.close();
      }
      return path;
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      const why = code === 'ENOENT' ? 'no such file or directory' : message;
      throw new Error(`open ${path}: ${why}`, { cause: thrown });
    }
  }
}
