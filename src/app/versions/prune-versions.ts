import { SyncerError } from '../../core/errors.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import { formatSizeUnit } from '../../go/byte-size.ts';
import { counted } from '../../kit/counted.ts';
import { doomedVersions, type PruneRules } from '../../listing/doomed-versions.ts';
import type { Run } from '../../sync/run.ts';
import { createTaskPool } from '../../sync/task-pool.ts';
import type { Invocation } from '../command.ts';
import { versionPages } from '../listing/kept-pages.ts';
import { requestsAtOnce } from '../remotes/remote-flags.ts';
import { runAttempts } from '../transfer/run-attempts.ts';
import { askNumber } from './ask-number.ts';

/** Old versions and delete markers, and the bytes of the versions. */
interface Sum {
  versions: number;
  markers: number;
  bytes: number;
}

/** `syncer versions prune`: deletes old versions for good. */
export async function pruneVersions(invocation: Invocation, remote: Remote): Promise<void> {
  const rules = await rulesOf(invocation);
  await consent(invocation, remote, rules);
  const sum: Sum = { versions: 0, markers: 0, bytes: 0 };
  await runAttempts(invocation, (run) => prune(invocation, remote, rules, run, sum));
  const done = isDryRun(invocation) ? 'Would delete' : 'Deleted';
  await invocation.out.write(`${done} ${sumText(sum)}\n`);
}

/** Throws `usage` if nothing says which versions stay. */
async function rulesOf(invocation: Invocation): Promise<PruneRules> {
  const { flags, context } = invocation;
  const { 'versions-keep': keep, 'versions-older-than': olderThanMs } = flags;
  if (keep === undefined && olderThanMs === undefined) {
    const text = 'versions prune needs --keep or --older-than; --keep 0 deletes all old versions';
    throw new SyncerError('usage', text);
  }
  if ((keep ?? 0) < 0) throw new SyncerError('usage', '--keep must not be negative');
  const filter = await invocation.filter();
  if (filter.needsMetadata === true) {
    throw new SyncerError('usage', 'filters for metadata do not apply to old versions');
  }
  return {
    ...{ keep: keep ?? 0, olderThanMs: olderThanMs ?? 0, nowMs: context.clock.now() },
    includes: (file) => filter.keepFile(file),
  };
}

async function* doomedOf(invocation: Invocation, remote: Remote, rules: PruneRules, op: Op) {
  const filter = await invocation.filter();
  // The filter decides about each version; what it excludes counts all the same, and keeps its marker.
  const everything = { ...filter, passesAll: true, needsMetadata: false };
  for await (const doomed of doomedVersions(versionPages(remote, everything, op), rules)) {
    if ('version' in doomed) yield doomed;
    else yield { markers: doomed.markers.filter(({ path }) => filter.keepPath(path)) };
  }
}

/** The guard `count`, and on a terminal the number of versions as it must be typed. */
async function consent(invocation: Invocation, remote: Remote, rules: PruneRules): Promise<void> {
  const { flags, guard, context } = invocation;
  if (guard?.flag === '--interactive') return;
  const count = async () => {
    const found: Sum & { examples: FileEntry[] } = {
      versions: 0,
      markers: 0,
      bytes: 0,
      examples: [],
    };
    for await (const doomed of doomedOf(invocation, remote, rules, context)) {
      if ('markers' in doomed) {
        found.markers += doomed.markers.length;
        continue;
      }
      found.versions++;
      found.bytes += doomed.version.size;
      const path = joinPath(remote.root, doomed.version.path);
      if (found.examples.length < 6) found.examples.push({ ...doomed.version, path });
    }
    return found;
  };
  if (flags.guard !== undefined) {
    const { countOf, refuseCount } = await import('../guards/count-guard.ts');
    const counting = async () => {
      const { versions, examples } = await count();
      return { files: versions, examples };
    };
    await refuseCount(invocation, countOf(invocation), counting, 'pruned');
  }
  if (guard !== undefined || flags['allow-deletes'] !== undefined) return;
  await askNumber(invocation, async () => {
    const found = await count();
    const total = found.versions + found.markers;
    const text = `This deletes ${sumText(found)} of ${remote.title} for good.`;
    return { total, text };
  });
}

function sumText({ versions, markers, bytes }: Sum): string {
  const marked = markers === 0 ? '' : ` and ${counted(markers, 'delete marker')}`;
  return `${counted(versions, 'old version')} (${formatSizeUnit(bytes)})${marked}`;
}

/** The deletions of one file: its markers go last, and only if all went well. */
interface OneFile {
  running: number;
  isWhole: boolean;
  /** Set at its end. */
  markers?: readonly FileEntry[];
}

async function prune(
  invocation: Invocation,
  remote: Remote,
  rules: PruneRules,
  run: Run,
  sum: Sum,
): Promise<void> {
  const { deleteKept } = remote.can;
  const isDry = isDryRun(invocation);
  const width = requestsAtOnce(invocation.flags, remote);
  const pool = createTaskPool(width, width);
  const remove = async (file: FileEntry): Promise<boolean> => {
    const about = `${joinPath(remote.root, file.path)} (${shownId(file)})`;
    try {
      const mayGo = await run.mayChange({ action: 'delete', about, size: file.size });
      if (!mayGo && !isDry) return false;
      if (mayGo) {
        await deleteKept?.(file, run.op);
        run.log('info', about, 'message', { text: 'Deleted' });
      }
      if (file.kept?.kind === 'old') sum.versions++;
      else sum.markers++;
      sum.bytes += file.size;
      return true;
    } catch (thrown) {
      run.fail(thrown, about, 'delete');
      return false;
    }
  };
  const end = async ({ markers = [] }: OneFile) => {
    // The oldest first: after an interruption the newest one still hides the file.
    for (const marker of markers.toReversed()) if (!(await remove(marker))) return;
  };
  let one: OneFile = { running: 0, isWhole: true };
  for await (const doomed of doomedOf(invocation, remote, rules, run.op)) {
    const file = one;
    if ('version' in doomed) {
      file.running++;
      await pool.add(async () => {
        const isGone = await remove(doomed.version);
        file.isWhole &&= isGone;
        file.running--;
        if (file.running === 0 && file.isWhole) await end(file);
      });
      continue;
    }
    file.markers = doomed.markers;
    one = { running: 0, isWhole: true };
    if (file.running === 0 && file.isWhole && doomed.markers.length > 0) {
      await pool.add(() => end(file));
    }
  }
  await pool.idle();
}

function isDryRun({ guard }: Invocation): boolean {
  return guard?.flag === '--dry-run';
}

/** The server's name of a version, without the key. */
export function shownId({ kept }: FileEntry): string {
  return kept?.id.split('\n', 1)[0] ?? '';
}
