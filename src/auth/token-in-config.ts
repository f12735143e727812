import { createHash } from 'node:crypto';
import type { ConfigFile } from '../config/config-file.ts';
import { updateRemote } from '../config/edit-remote.ts';
import { withFileLock } from '../config/file-lock.ts';
import { iniSections } from '../config/ini-lines.ts';
import { followLinks } from '../config/replace-file.ts';
import { SyncerError } from '../core/errors.ts';
import type { TokenPlace } from './oauth-token.ts';

const KEY = 'token';

/** The key `token` of a section of the configuration. */
export function tokenInConfig(file: ConfigFile, section: string): TokenPlace {
  return {
    read: async () =>
      iniSections(await file.read())
        .get(section)
        ?.get(KEY),
    write: async (text) => {
      await file.update((lines) =>
        // A section that was deleted stays deleted.
        iniSections(lines).has(section)
          ? updateRemote(lines, section, new Map([[KEY, text]]))
          : lines,
      );
    },
    alone: (work) => aloneOf(file, section, work),
  };
}

/** Not under the lock of the file itself, which is needed for other sections: a renewal may take long. */
async function aloneOf<T>(file: ConfigFile, section: string, work: () => Promise<T>): Promise<T> {
  if (file.path === undefined) return work();
  const mark = createHash('sha256').update(section).digest('hex').slice(0, 12);
  const path = `${await followLinks(file.path)}.${mark}.login`;
  let hasBegun = false;
  try {
    return await withFileLock(path, () => {
      hasBegun = true;
      return work();
    });
  } catch (error) {
    // Only the file system may refuse the lock; what `work` throws is its own.
    if (hasBegun || error instanceof SyncerError) throw error;
    return work();
  }
}
