import { test } from 'vitest';
import { AgreedFiles, type Archive } from '../../../../../commands/bisync/two-way/agreed-files.ts';
import {
  attemptTwoWay,
  type TwoWayPlan,
} from '../../../../../commands/bisync/two-way/sync-two-way.ts';
import type { MemoryOptions } from '../../../../../src/backends/memory/memory-remote.ts';
import { SyncerError } from '../../../../../src/core/errors.ts';
import type { Remote } from '../../../../../src/core/remote.ts';
import { ALL as ALL_CHANGES } from '../../../../../src/engine/consent.ts';
import { Budget } from '../../../../../src/engine/loss/budget.ts';
import { passAllFilter } from '../../../../../src/filter/filter.ts';
import { pick, playHistory } from '../../../../support/bisync-history.ts';
import { ALL } from '../../../../support/in-part.ts';
import { layered, overriding } from '../../../../support/layered.ts';
import { plainOptions, quietContext, remoteWith } from '../../../../support/memory-world.ts';

const roots = ['a', 'b'] as const;
const NOTHING: Archive = { roots, endedMs: 0, files: new AgreedFiles(), dirs: new Set() };
const RULES = ['none', 'newer', 'older', 'larger', 'smaller', 'path1', 'path2'] as const;
/** Of each pair; all in `npm run test:all`. */
const HISTORIES = Number(process.env['SEEDS'] ?? (ALL ? 15 : 6));
/** Every call fails now and then, or all of them from one on, as if the process had been killed. */
function faulty(remote: Remote, fails: () => boolean): Remote {
  const guarded =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (fails()) throw new SyncerError('server', 'planted');
      const result = await call(...args);
      if (fails()) throw new SyncerError('server', 'the response was lost');
      return result;
    };
  return layered(remote, {
    listPage: guarded(async (dir, cursor, op) => {
      const page = await remote.listPage(dir, cursor, op);
      if (!fails()) return page;
      // An entry that cannot be examined.
      const [bad, ...entries] = page.entries;
      if (bad === undefined) return page;
      const error = new SyncerError('access-denied', 'planted');
      const kind = bad.kind === 'dir' ? { kind: bad.kind } : {};
      return { ...page, entries, failed: [{ path: bad.path, ...kind, error }] };
    }),
    stat: guarded((path, op) => remote.stat(path, op)),
    read: guarded((file, range, op) => remote.read(file, range, op)),
    write: guarded((source, op) => remote.write(source, op)),
    delete: guarded((files, op, how) => remote.delete(files, op, how)),
    makeDir: guarded((dir, op) => remote.makeDir(dir, op)),
    deleteDir: guarded((dir, op) => remote.deleteDir(dir, op)),
    can: overriding(
      Object.fromEntries(
        Object.entries(remote.can).map(([name, call]) => [
          name,
          typeof call === 'function'
            ? guarded(call.bind(remote.can) as (...args: unknown[]) => Promise<unknown>)
            : call,
        ]),
      ),
      { details: (details) => ({ ...details, read: guarded(details.read) }) },
    ),
  });
}

async function history(seed: number, kinds: readonly [MemoryOptions, MemoryOptions]) {
  let archive = NOTHING;
  await playHistory(seed, 6, async (random) => {
    const sides = [await remoteWith({}, kinds[0]), await remoteWith({}, kinds[1])] as const;
    const hasIds = kinds.every(({ ids }) => ids === true);
    const rule = pick(random, RULES);
    const loser = pick(random, ['date', 'num', 'pathname'] as const);
    const log: string[] = [];
    const run = async (a: Remote, b: Remote, isSaved: boolean) => {
      const plan: TwoWayPlan = {
        ...{ a, b, archive },
        options: { a: plainOptions, b: plainOptions },
        rules: { a: { size: true, modTime: true }, b: { size: true, modTime: true } },
        conflict: {
          ...{ rule, loser },
          naming: { suffix: { a: 'conflict', b: 'conflict' }, keepExtension: false },
        },
        surprises: { force: true, maxDeletePercent: 50 },
        removesEmptyDirs: false,
      };
      const { context, logLines } = quietContext();
      const attempt = await attemptTwoWay(
        { context, filter: passAllFilter, consent: ALL_CHANGES, budget: new Budget() },
        plan,
      );
      log.push(...logLines().filter((line) => !line.startsWith('debug')));
      if (attempt.archive !== undefined && isSaved) {
        const { files, dirs } = attempt.archive;
        archive = {
          ...attempt.archive,
          files: new AgreedFiles(files.toPages(dirs)),
        };
      }
      return attempt.error;
    };
    return {
      ...{ sides, log },
      isApart: kinds.every(({ emptyDirs }) => emptyDirs === false),
      // A first run believes size and time, as `sync` does.
      mayCollide: () => hasIds && archive.endedMs > 0,
      quiet: () => run(...sides, true),
      async disturbed(random) {
        let calls = random(40);
        const isKill = random(2) === 0;
        const fails = () => (isKill ? calls-- <= 0 : random(12) === 0);
        log.push(isKill ? 'killed' : 'faults');
        await run(faulty(sides[0], fails), faulty(sides[1], fails), !isKill);
      },
    };
  });
}

const DISK: MemoryOptions = { slowHash: true, pageSize: 2, ids: true };
const BUCKET: MemoryOptions = { emptyDirs: false, slowModTime: true, hashes: ['md5'] };
const DRIVE: MemoryOptions = { ids: true, modTimePrecision: 1_000_000_000n, hashes: ['quickxor'] };

test.each([
  ['two disks', [DISK, DISK]],
  ['a disk and a bucket', [DISK, BUCKET]],
  ['a bucket and a drive', [BUCKET, DRIVE]],
  ['a drive and a disk', [DRIVE, DISK]],
  ['two buckets', [BUCKET, BUCKET]],
  ['disks that ignore case', [{ ...DISK, caseInsensitive: true }, DISK]],
] as const)('no content is lost: %s', async (_, kinds) => {
  for (let seed = 1; seed <= HISTORIES; seed++) await history(seed, kinds);
});
