import { around } from '../../../src/core/around.ts';
import { hasCode } from '../../../src/core/errors.ts';
import type { Op, Remote } from '../../../src/core/remote.ts';
import { isWithin, parentPath } from '../../../src/core/remote-path.ts';

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

  /**
   * Notes the names that hold something that listings omit: links that are not followed, pipes, devices.
   *
   * @param paths only the other side has listed them, directories before what is in them
   * @param listed whether this side has listed a directory, or a file whose place a name is
   * @param onFound called with each, and what it is, in words
   */
  async look(
    { can, traits: { linkSuffix } }: Remote,
    paths: readonly string[],
    listed: {
      readonly dirs: ReadonlySet<string>;
      readonly files: Pick<ReadonlySet<string>, 'has'>;
    },
    onFound: (path: string, what: string) => void,
    op: Op,
  ): Promise<void> {
    for (const path of can.unlistedAt === undefined ? [] : paths) {
      const dir = parentPath(path);
      // Below a directory that is not there is nothing.
      if ((dir !== '' && !listed.dirs.has(dir)) || this.covers(path)) continue;
      const what = await can.unlistedAt?.(path, op);
      if (what === undefined || isListedAs(path, listed.files, linkSuffix)) continue;
      this.#dirs.add(path);
      onFound(path, what);
    }
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

/** Whether the name of a link, or of the file with the name of a link, was listed. */
function isListedAs(
  path: string,
  files: Pick<ReadonlySet<string>, 'has'>,
  suffix: string | undefined,
): boolean {
  if (suffix === undefined) return false;
  return files.has(path + suffix) || files.has(linkPlace(path, suffix));
}

/** Where a file is on a side that shows links as files: a link has the name of its target there. */
export function linkPlace(path: string, suffix: string | undefined): string {
  return suffix !== undefined && path.endsWith(suffix) ? path.slice(0, -suffix.length) : path;
}
