import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTree, writeTree } from '../../support/file-tree.ts';
import { hasRclone, isCompared, runRclone } from '../../support/rclone.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';
import { CASES } from './sync-cases.ts';

let world: SyncerWorld;

beforeAll(async () => {
  world = await makeSyncerWorld();
});

afterAll(() => world.remove());

describe.skipIf(!hasRclone)('beside rclone', () => {
  for (const [what, { args, source, dest, ...compared }] of Object.entries(CASES)) {
    test.skipIf(!isCompared(compared)).concurrent(what, async () => {
      const dirs = ['ours', 'theirs'].map((who) =>
        join(world.dir, `${what} ${who}`.replaceAll('/', '_')),
      );
      for (const dir of dirs) {
        await writeTree(dir, {});
        if (source !== undefined) await writeTree(join(dir, 'src'), source);
        if (dest !== undefined) await writeTree(join(dir, 'dst'), dest);
      }
      const [oursDir = '', theirsDir = ''] = dirs;
      const ours = await world.run(args, { cwd: oursDir });
      const theirs = await runRclone(args, { cwd: theirsDir });
      expect(
        { code: ours.code, stdout: ours.stdout.toString(), tree: await readTree(oursDir) },
        ours.stderr,
      ).toEqual({
        code: theirs.code,
        stdout: theirs.stdout.toString(),
        tree: await readTree(theirsDir),
      });
    });
  }
});
