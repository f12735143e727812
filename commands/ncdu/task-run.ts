import type { FixedOptions } from '../../src/config/resolve-options.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Emit } from '../../src/core/events.ts';
import type { Op } from '../../src/core/remote.ts';
import { isStoredLink, linkPathOf } from '../../src/core/remote-path.ts';
import type { Consent } from '../../src/engine/consent.ts';
import { ChosenPlan, CollectedPlan } from '../../src/run/review/plan-consent.ts';
import type { TransferNeeds } from '../../src/run/transfer/transfer.ts';
import type { InnerAsked, InnerRun, InnerRuns } from '../../src/shell/command-line/command.ts';
import { messageOf } from '../../src/shell/log/words.ts';
import type {
  DeletedRun,
  Noted,
  TransferReport,
  UndoPlan,
} from '../../src/size-tree/browser-effects.ts';

/** Does an act of the browser as a run of its own; the report gets its ID if it changed something. */
export async function asRun<T>(
  { begin }: InnerRuns,
  { report, op, flags = {} }: { report: Noted; op: Op; flags?: InnerAsked['flags'] },
  act: (own: TransferNeeds) => Promise<T>,
): Promise<T> {
  const run = begin({ command: 'ncdu', flags, signal: op.signal, emit() {} });
  return ending(run, report, () => act(run.invocation));
}

/** Another command of the program, done for the browser; resolves to what it wrote. */
async function runCommand(
  { begin }: InnerRuns,
  asked: Omit<InnerAsked, 'signal'>,
  op: Op,
  report: Noted = {},
): Promise<string> {
  const run = begin({ ...asked, signal: op.signal });
  await ending(run, report, () => run.perform());
  return run.written();
}

async function ending<T>(run: InnerRun, report: Noted, work: () => Promise<T>): Promise<T> {
  let thrown: unknown;
  try {
    return await work();
  } catch (error) {
    thrown = error;
    throw error;
  } finally {
    if (await run.end(thrown)) report.noted?.(run.id);
  }
}

/** Finds out what undoing a run would do. Rejects with `usage` if its changes are no longer kept. */
export async function planUndo(invocation: InnerRuns, id: string, op: Op): Promise<UndoPlan> {
  const collected = new CollectedPlan();
  const undo = async (consent: Consent, report: Noted, op: Op): Promise<UndoPlan['left']> => {
    const left: UndoPlan['left'][number][] = [];
    const emit: Emit = (event) => {
      if (event.type !== 'log' || (event.level !== 'notice' && event.level !== 'error')) return;
      if (event.path !== undefined) left.push({ path: event.path, why: messageOf(event) });
    };
    try {
      await runCommand(invocation, { command: 'undo', args: [id], consent, emit }, op, report);
    } catch (thrown) {
      op.signal.throwIfAborted();
      // What was left is named.
      const isNamed = thrown instanceof SyncerError && thrown.code !== 'usage' && left.length > 0;
      if (!isNamed) throw thrown;
    }
    return left;
  };
  const left = await undo({ how: 'collect', plan: collected }, {}, op);
  // None for times and for directories on their way.
  const changes = [...collected.changes.values()].flatMap((change): UndoPlan['changes'] => {
    const { kind, path, from, size, isDir } = change;
    const bytes = Math.max(0, size);
    if (kind === 'rename' || kind === 'move')
      return [{ does: 'move', path, bytes, ...(from !== undefined && { from }) }];
    if (isDir || kind === 'time') return [];
    return [{ does: kind === 'delete' ? 'delete' : 'restore', path, bytes }];
  });
  return {
    changes,
    left,
    async run(report, op) {
      const plan = collected.changes;
      const chosen = new ChosenPlan(
        { plan, chosen: new Set(plan.values()) },
        { onLeft: ({ path }) => report.failed(path, 'skipped: changed since the question') },
      );
      const failures = await undo({ how: 'chosen', plan: chosen }, report, op);
      const before = new Set(left.map(({ path }) => path));
      const more = failures.filter(({ path }) => !before.has(path));
      for (const { path, why } of more) report.failed(path, why);
      const failed = new Set(more.map(({ path }) => path));
      const done = changes.filter(({ path }) => !failed.has(path));
      report.bytes(done.reduce((sum, { bytes }) => sum + bytes, 0));
      report.done(done.length);
    },
  };
}

/** The place of a trash, and the options with which its links are files. */
export interface Trashed {
  readonly spec: string;
  readonly options?: FixedOptions;
}

/** What is in the trash of a place, by the runs that deleted it, the newest first. */
export async function listTrash(
  invocation: InnerRuns,
  { spec, ...own }: Trashed,
  op: Op,
): Promise<readonly DeletedRun[]> {
  const hasLinks = own.options !== undefined;
  const shownPath = (path: string) => (hasLinks && isStoredLink(path) ? linkPathOf(path) : path);
  const flags = { 'trash-json': true };
  const asked = { command: 'trash', args: ['ls', spec], flags, ...own, emit() {} };
  const records: readonly (Readonly<Record<'Path' | 'Run' | 'RunTime', string>> & {
    readonly Size: number;
    readonly Kept: 'trash' | 'versions' | 'bin';
  })[] = JSON.parse(await runCommand(invocation, asked, op));
  const byRun = Map.groupBy(records, ({ Run }) => Run);
  return [...byRun].map(([id, files]) => ({
    id,
    timeMs: Date.parse(files[0]?.RunTime ?? ''),
    files: files.length,
    bytes: files.reduce((sum, { Size }) => sum + Math.max(0, Size), 0),
    paths: files.map(({ Path }) => shownPath(Path)),
    isFixed: files.every(({ Kept }) => Kept === 'bin'),
  }));
}

/** Puts back what a run deleted. Rejects with what was left in the trash. */
export async function restoreTrash(
  invocation: InnerRuns,
  { spec, ...own }: Trashed,
  run: DeletedRun,
  report: TransferReport,
  op: Op,
): Promise<void> {
  const flags = { 'trash-run': run.id };
  const asked = { command: 'trash', args: ['restore', spec], flags, ...own, emit() {} };
  await runCommand(invocation, asked, op, report);
  report.bytes(run.bytes);
  report.done(run.files);
}

/** Deletes for good what runs have left in the trash: as many files as were shown. */
export async function emptyTrash(
  invocation: InnerRuns,
  { spec, ...own }: Trashed,
  runs: readonly DeletedRun[],
  report: Pick<TransferReport, 'bytes' | 'done'>,
  op: Op,
): Promise<void> {
  for (const run of runs.filter(({ isFixed }) => !isFixed)) {
    const flags = { 'trash-run': run.id, 'allow-deletes': run.files };
    const asked = { command: 'trash', args: ['empty', spec], flags, ...own, emit() {} };
    await runCommand(invocation, asked, op);
    report.bytes(run.bytes);
    report.done(run.files);
  }
}

/** Deletes for good what a run has just deleted, and the server keeps. */
export async function emptyRun(
  invocation: InnerRuns,
  trashed: Trashed,
  run: string,
  op: Op,
): Promise<void> {
  // A deletion of an unknown number would be asked about.
  const runs = (await listTrash(invocation, trashed, op)).filter(({ id }) => id === run);
  if (runs.length === 0)
    throw new SyncerError('other', 'deleted, but the bucket keeps the versions: K shows the trash');
  await emptyTrash(invocation, trashed, runs, { bytes() {}, done() {} }, op);
}
