import { counted } from '../../src/core/counted.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { FileEntry, Op, Remote } from '../../src/core/remote.ts';
import { joinPath } from '../../src/core/remote-path.ts';
import type { Run } from '../../src/engine/run.ts';
import { formatSizeUnit } from '../../src/go/byte-size.ts';
import { doomedVersions, type PruneRules } from '../../src/listing/doomed-versions.ts';
import { versionPages } from '../../src/run/listing/kept-pages.ts';
import { runWithSum } from '../../src/run/transfer/run-attempts.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { cannotUse } from '../../src/shell/flags/exclusions.ts';
import { askNumber } from '../../src/shell/interactive/ask-number.ts';
import type { VERSIONS_FLAGS } from './command.ts';
import { deleteVersions } from './delete-versions.ts';

/** Old versions and delete markers, and the bytes of the versions. */
interface Sum {
  versions: number;
  markers: number;
  bytes: number;
}

const nothing = (): Sum => ({ versions: 0, markers: 0, bytes: 0 });

/** `syncer versions prune`: deletes old versions for good. */
export async function pruneVersions(
  invocation: Invocation<typeof VERSIONS_FLAGS>,
  remote: Remote,
): Promise<void> {
  const rules = await rulesOf(invocation);
  await consent(invocation, remote, rules);
  let sum = nothing();
  const isDry = invocation.approval?.flag === '--dry-run';
  const gone = ({ kept, size }: FileEntry) => {
    if (kept?.kind === 'old') sum.versions++;
    else sum.markers++;
    sum.bytes += size;
  };
  const prune = (run: Run) => {
    // Another attempt finds again what is only counted.
    if (isDry) sum = nothing();
    const doomed = doomedOf(invocation, remote, rules, run.op);
    return deleteVersions(run, remote, doomed, { isDry, gone });
  };
  const done = isDry ? 'Would delete' : 'Deleted';
  await runWithSum(invocation, prune, (failed) =>
    invocation.out.write(`${done} ${sumText(sum)}${failed}\n`),
  );
}

/** Throws `usage` if nothing says which versions stay. */
async function rulesOf(invocation: Invocation<typeof VERSIONS_FLAGS>): Promise<PruneRules> {
  const { flags, beganMs: nowMs } = invocation;
  const { 'versions-keep': keep, 'versions-older-than': olderThanMs } = flags;
  if (keep === undefined && olderThanMs === undefined) {
    const text = 'versions prune needs --keep or --older-than; --keep 0 deletes all old versions';
    throw new SyncerError('usage', text);
  }
  if ((keep ?? 0) < 0) throw new SyncerError('usage', '--keep must not be negative');
  const filter = await invocation.filter();
  if (filter.needsMetadata === true) {
    throw cannotUse('filters for metadata', 'old versions', 'listings have no metadata');
  }
  return {
    keep: keep ?? 0,
    olderThanMs: olderThanMs ?? 0,
    nowMs,
    includes: (file) => filter.keepFile(file),
  };
}

async function* doomedOf(
  invocation: Invocation<typeof VERSIONS_FLAGS>,
  remote: Remote,
  rules: PruneRules,
  op: Op,
) {
  const filter = await invocation.filter();
  // The filter decides about each version; what it excludes counts all the same, and keeps its marker.
  const everything = { ...filter, passesAll: true, needsMetadata: false };
  for await (const doomed of doomedVersions(versionPages(remote, everything, op), rules)) {
    if ('version' in doomed) yield doomed;
    else yield { markers: doomed.markers.filter(({ path }) => filter.keepPath(path)) };
  }
}

/** The guard `count`, and on a terminal the number of versions as it must be typed. */
async function consent(
  invocation: Invocation<typeof VERSIONS_FLAGS>,
  remote: Remote,
  rules: PruneRules,
): Promise<void> {
  const { flags, approval, context } = invocation;
  if (approval?.flag === '--interactive') return;
  const count = async () => {
    const found = { ...nothing(), examples: [] as FileEntry[] };
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
    const { countOf, refuseCount } = await import('../../src/run/guards/count-guard.ts');
    const counting = async () => {
      const { versions, examples } = await count();
      return { files: versions, examples };
    };
    await refuseCount(invocation, countOf(invocation), counting, 'pruned');
  }
  if (approval !== undefined || flags['allow-deletes'] !== undefined) return;
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
