import { around } from '../core/around.ts';
import { hasCode } from '../core/errors.ts';
import type { Remote } from '../core/remote.ts';
import { isWithin } from '../core/remote-path.ts';

const MISSING = ['directory-not-found', 'bucket-not-found'] as const;

/** What could not be listed on one side: nothing is known of these paths. */
export class Unlisted {
  readonly #dirs = new Set<string>();
  readonly #paths = new Set<string>();

  /** Whether a path may exist although no listing has it. */
  covers(path: string): boolean {
    if (this.#paths.has(path)) return true;
    for (const dir of this.#dirs) if (isWithin(dir, path)) return true;
    return false;
  }

  /** Whether anything could not be listed. */
  get hasAny(): boolean {
    return this.#dirs.size + this.#paths.size > 0;
  }

  /** The remote, whose failed listings are noted. */
  around(remote: Remote): Remote {
    return around(remote, {
      listPage: async (dir, cursor, op) => {
        try {
          const page = await remote.listPage(dir, cursor, op);
          for (const { path, kind } of page.failed ?? []) {
            (kind === 'dir' ? this.#dirs : this.#paths).add(path);
          }
          return page;
        } catch (thrown) {
          // A root that does not exist yet is an empty one.
          const isNew = dir === '' && cursor === undefined && hasCode(thrown, ...MISSING);
          if (!isNew) this.#dirs.add(dir);
          throw thrown;
        }
      },
    });
  }
}
