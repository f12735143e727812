import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeEach, expect } from 'vitest';
import { readTree, type Tree } from './file-tree.ts';
import { inProcessWorld } from './in-process-world.ts';

/** For tests of `bisync`: the directories `a` and `b`, and runs between them. */
export function bisyncWorld() {
  const world = inProcessWorld();
  const at = (path: string) => join(world.dir, path);
  let second = 1_700_000_000;

  beforeEach(async () => {
    await mkdir(at('a'), { recursive: true });
    await mkdir(at('b'), { recursive: true });
  });

  /** The files of a directory, without their times. */
  const filesIn = async (path: string): Promise<Record<string, string>> => {
    const entries = Object.entries((await readTree(at(path))) ?? {});
    const files = entries.filter(([name]) => !/\/$|^\.syncer-trash/.test(name));
    return Object.fromEntries(files.map(([name, text]) => [name, `${text}`.replace(/@\d+$/, '')]));
  };
  const trees = async () => [await filesIn('a'), await filesIn('b')] as const;

  return {
    world,
    at,
    filesIn,
    trees,
    bisync: (more = '', b = '@b') => world.syncer(`bisync @a ${b} -v${more}`),
    /** Writes a file with a time of its own, so that no two edits look the same. */
    async edit(path: string, text: string): Promise<void> {
      await mkdir(resolve(at(path), '..'), { recursive: true });
      await writeFile(at(path), text);
      await utimes(at(path), ++second, second);
    },
    async expectBoth(expected: Tree): Promise<void> {
      const [a, b] = await trees();
      expect(a).toEqual(expected);
      expect(b).toEqual(expected);
    },
  };
}
