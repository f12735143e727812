import { expect, test } from 'vitest';
import type { Remote } from '../../../src/core/remote.ts';
import type { FileWork } from '../../../src/engine/file-work.ts';
import { DirTimes } from '../../../src/engine/tree-dirs.ts';

test('a directory is one, whichever of its two spellings is written to', async () => {
  const set: [string, bigint][] = [];
  const remote = {
    traits: { emptyDirs: true, onDisk: true },
    can: { setDirModTime: async (dir: string, time: bigint) => void set.push([dir, time]) },
  } as unknown as Remote;
  const work = {
    source: remote,
    dest: remote,
    options: { checkers: 1 },
    ground: { windowNs: 1n },
    run: {
      op: { signal: new AbortController().signal },
      consent: { how: 'all' },
      mayChange: async () => true,
      log() {},
    },
  } as unknown as FileWork;
  for (const written of ['D', 'd']) {
    const times = new DirTimes(work);
    const [source, dest] = [
      { kind: 'dir', path: 'D', modTime: 5n } as const,
      { kind: 'dir', path: 'd', modTime: 5n } as const,
    ];
    times.note([{ source, dest }]);
    times.touch(written);
    await times.set(work.run);
  }
  expect(set).toEqual([
    ['d', 5n],
    ['d', 5n],
  ]);
});
