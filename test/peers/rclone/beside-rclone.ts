import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';
import { readTree, type Tree, writeTree } from '../../support/file-tree.ts';
import { type Compared, hasRclone, isCompared, runRclone } from '../../support/rclone.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';
import { section } from '../../support/s3-world.ts';

/**
 * Command lines separated by ` ; `, run in a folder that holds `tree`. `BUCKET` in it is a bucket that holds `tree`, too, and `DST`
 * the folder `dst` on a disk that does not tell case apart.
 */
export interface BesideCase extends Compared {
  readonly args: string;
  readonly tree: Tree;
}

/** Files of a source and a destination that differ in most ways that a comparison knows. */
export const BESIDE_TREE: Tree = {
  'src/a.txt': 'content of a',
  'src/b.dat': ['bb', 1_500_000_000],
  'src/B.Mixed': 'mixed',
  'src/c.tar.gz': ['new archive', 1_400_000_000],
  'src/ünï ☃.txt': 'snow',
  'src/dir/a.txt': 'below',
  'src/dir/sub/c.dat': 'deeper',
  'src/dir/x.bin': '',
  'src/same': 'same',
  'dst/c.tar.gz': 'old archive!',
  'dst/same': 'same',
  'dst/extra.txt': 'extra extra extra',
  'dst/gone/x': 'x',
};

/** What a command line did; `stored` is what the bucket holds, where there is one. */
export interface Outcome {
  readonly code: number | null;
  readonly lines: readonly string[];
  /** The names that were left out as duplicates. */
  readonly duplicates: readonly string[];
  readonly tree: Readonly<Record<string, string>> | undefined;
  readonly stored: readonly string[];
  readonly stderr: string;
}

/** Runs a case by one of the two programs. */
export type RunBeside = (who: 'ours' | 'theirs', how: BesideCase) => Promise<Outcome>;

/** Tests that both programs do the same in every case; `more` registers further tests in the same place. */
export function testBesideRclone(
  what: string,
  cases: Readonly<Record<string, BesideCase>>,
  more: (run: RunBeside) => void = () => {},
): void {
  describe.skipIf(!hasRclone)(what, () => {
    let world: SyncerWorld;
    let server: TestS3;
    let number = 0;

    beforeAll(async () => {
      world = await makeSyncerWorld();
      server = await startTestS3();
      await writeFile(world.config, section(server, 's3', { description: 'one two' }));
    });

    afterAll(async () => {
      await server.stop();
      await world.remove();
    });

    const rclone = (args: readonly string[], cwd: string) =>
      runRclone(args, { cwd, config: world.config });

    const run: RunBeside = async (who, { args, tree }) => {
      const id = ++number;
      const dir = join(world.dir, `${id}-${who}`);
      const bucket = args.includes('BUCKET') ? `s3:bucket-${id}` : undefined;
      await writeTree(dir, tree);
      if (bucket !== undefined) await rclone(['copy', '.', bucket], dir);
      const commands = args
        .replaceAll('BUCKET', `${bucket}`)
        .replaceAll('DST', ':local,case_insensitive=true:dst')
        .split(' ; ');
      const ended = { code: 0 as number | null, stdout: '', stderr: '' };
      for (const command of commands) {
        const line = command.split(' ');
        const each = await (who === 'ours' ? world.run(line, { cwd: dir }) : rclone(line, dir));
        ended.code = each.code;
        ended.stdout += each.stdout.toString();
        ended.stderr += each.stderr;
      }
      const shown = ['-R', '--files-only', '--format', 'psth', '--hash', 'MD5'];
      const listed =
        bucket === undefined ? '' : (await rclone(['lsf', ...shown, bucket], dir)).stdout;
      return {
        code: ended.code,
        lines: ended.stdout.split('\n').sort(),
        duplicates: (ended.stderr.match(/\S+: Duplicate .* - ignoring/g) ?? []).sort(),
        tree: await readTree(dir),
        stored: listed.toString().split('\n').sort(),
        stderr: ended.stderr,
      };
    };

    for (const [name, how] of Object.entries(cases)) {
      test.skipIf(!isCompared(how)).concurrent(name, async () => {
        const { stderr, ...ours } = await run('ours', how);
        const { stderr: _, ...theirs } = await run('theirs', how);
        expect(ours, stderr).toEqual(theirs);
      });
    }
    more(run);
  });
}
