import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentsOf } from '../../support/memory-world.ts';
import { anyStep, doStep, Model, shownBy } from '../../support/vfs-model.ts';
import { vfsWorld } from '../../support/vfs-world.ts';

const anyRemote = fc.record({
  emptyDirs: fc.boolean(),
  slowModTime: fc.boolean(),
  sorted: fc.boolean(),
  pageSize: fc.constantFrom(1, 2, 1000),
  without: fc.subarray(['moveDirFrom', 'moveFrom', 'copyFrom', 'deletesAtOnce'] as const),
});

test('a file system does what one should, on every kind of remote', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyRemote,
      fc.boolean(),
      fc.constantFrom(0, 300_000),
      fc.record({ network: fc.boolean(), nodeLimit: fc.constantFrom(4, 1000) }),
      fc.array(anyStep, { maxLength: 30 }),
      async (memory, waits, dirCacheTime, kind, steps) => {
        const w = await vfsWorld({ memory, waits, options: { dirCacheTime }, ...kind });
        const model = new Model();
        for (const step of steps)
          expect(await doStep(w, step), JSON.stringify(step)).toEqual(model.expect(step));
        const wanted: Record<string, string> = {};
        for (const [path, content] of model.nodes) {
          if (path !== '') wanted[content === undefined ? `${path}/` : path] = content ?? '';
        }
        expect(await shownBy(w)).toEqual(wanted);
        await w.contents.uploadAll();
        w.vfs.refresh();
        expect(await shownBy(w)).toEqual(wanted);
        const files = Object.keys(await contentsOf(w.remote)).filter((path) => !path.endsWith('/'));
        expect(files.sort()).toEqual(
          Object.keys(wanted)
            .filter((path) => !path.endsWith('/'))
            .sort(),
        );
      },
    ),
    { numRuns: 200 },
  );
});
