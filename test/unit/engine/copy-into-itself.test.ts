import { expect, test } from 'vitest';
import { memoryRemote } from '../../../src/backends/memory/memory-remote.ts';
import { MemoryTree } from '../../../src/backends/memory/memory-tree.ts';
import { contentsOf, runOnce } from '../../support/memory-world.ts';

test.each([false, true])(
  'a copy into its own source copies what was there and ends (empty directories: %s)',
  async (createEmptySrcDirs) => {
    const tree = new MemoryTree();
    const source = memoryRemote({ name: 'one', tree });
    const dest = memoryRemote({ name: 'one', tree, root: 'in' });
    const op = { signal: new AbortController().signal };
    for (const path of ['a', 'in/b', 'sub/c']) {
      const open = async () => Buffer.from('x');
      await source.write({ path, size: 1, modTime: 0n, seekable: true, open }, op);
    }
    const { error } = await runOnce('copy', source, dest, { createEmptySrcDirs, transfers: 1 });
    expect(error).toBeUndefined();
    expect(Object.keys(await contentsOf(source)).sort()).toEqual(
      ['a', 'in/a', 'in/b', 'in/in/b', 'in/sub/c', 'sub/c'].sort(),
    );
  },
);
