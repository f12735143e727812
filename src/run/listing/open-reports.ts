import { modTimeFromMs } from '../../core/mod-time.ts';
import type { Op, Remote } from '../../core/remote.ts';
import type { CheckReports } from '../../engine/check-report.ts';
import { type OutcomeReports, RunOutcomes } from '../../engine/outcomes.ts';
import { detailReader } from '../../listing/detail-reader.ts';
import { type LsfRules, lsfLine } from '../../listing/lsf-format.ts';
import { timeFormat } from '../../listing/time-format.ts';
import type { Invocation } from '../../shell/command-line/command.ts';
import { openOutputFile } from '../../shell/output/output-file.ts';
import { lsfDetails, lsfOptions } from './lsf-options.ts';

const REPORT_FLAGS = [
  'combined',
  'match',
  'differ',
  'missing-on-src',
  'missing-on-dst',
  'error',
] as const;

/** Lines are written to a file in batches of this size, in characters. */
const BATCH = 64 * 1024;

const DONE = Promise.resolve();

/** The reports of a check, and how to close them. */
export interface OpenReports {
  readonly writers: CheckReports;
  /** Writes what is left and closes the files. Rejects if that fails. */
  close(): Promise<void>;
}

type WriteLine = (line: string) => Promise<void>;

/** Opens the report files of `check`; `-` is standard output. */
export async function openReports(invocation: Invocation): Promise<OpenReports> {
  const reports: Report[] = [];
  const writers: Record<string, WriteLine> = {};
  try {
    for (const flag of REPORT_FLAGS) {
      const report = await openReport(invocation, flag);
      if (report === undefined) continue;
      reports.push(report);
      writers[flag] = report.write;
    }
  } catch (thrown) {
    await closeAll(reports).catch(() => {});
    throw thrown;
  }
  return { writers, close: () => closeAll(reports) };
}

interface Report {
  readonly write: WriteLine;
  close(): Promise<void>;
}

/** Opens one report; `undefined` if the flag is not given. */
async function openReport(
  { flags, out }: Invocation,
  flag: (typeof REPORT_FLAGS)[number] | 'dest-after',
): Promise<Report | undefined> {
  const path = flags[flag];
  if (path === undefined || path === '') return undefined;
  if (path === '-') return { write: (line) => out.write(line), close: async () => {} };
  const file = await openOutputFile(path, `the report --${flag} ${path}`);
  let batch = '';
  const flush = () => {
    const text = batch;
    batch = '';
    return text === '' ? DONE : file.write(text);
  };
  return {
    write(line) {
      batch += line;
      return batch.length < BATCH ? DONE : flush();
    },
    close: () => flush().finally(() => file.close()),
  };
}

async function closeAll(reports: readonly Report[]): Promise<void> {
  const closed = await Promise.allSettled(reports.map((report) => report.close()));
  for (const result of closed) if (result.status === 'rejected') throw result.reason;
}

/** The report files of a copy, sync or move. */
export interface OpenOutcomes {
  readonly outcomes: RunOutcomes;
  /** Completes the reports and closes the files; `isWhole`: the run had no error. Rejects if that fails. */
  close(isWhole: boolean): Promise<void>;
}

/**
 * Opens the report files of a copy, sync or move.
 *
 * @param deletes files that only the destination has are deleted
 */
export async function openOutcomes(
  invocation: Invocation,
  { source, dest }: { readonly source: Remote; readonly dest: Remote },
  deletes: boolean,
): Promise<OpenOutcomes> {
  const { openManifest } = await import('./open-manifest.ts');
  const manifest = await openManifest(invocation, source, dest);
  const list = await openReport(invocation, 'dest-after');
  const { writers, close: closeReports } = await openReports(invocation);
  const listed = list === undefined ? {} : destAfter(invocation, dest, list.write);
  const after: OutcomeReports = {
    ...listed,
    ...(manifest === undefined ? {} : { destAfter: both(listed.destAfter, manifest.add) }),
  };
  const outcomes = new RunOutcomes({ ...writers, ...after }, deletes);
  return {
    outcomes,
    close: async (isWhole) => {
      let isComplete = false;
      try {
        await outcomes.finish();
        isComplete = isWhole;
      } finally {
        await manifest?.close(isComplete);
        await closeReports();
        await list?.close();
      }
    },
  };
}

type DestAfter = NonNullable<OutcomeReports['destAfter']>;

function both(first: DestAfter | undefined, second: DestAfter): DestAfter {
  if (first === undefined) return second;
  return async (...found) => void (await Promise.all([first(...found), second(...found)]));
}

/** The lines of `--dest-after`, as `lsf` prints them. */
function destAfter(
  { flags, context }: Invocation,
  dest: Remote,
  write: WriteLine,
): Omit<OutcomeReports, keyof CheckReports> {
  const options = lsfOptions(flags);
  const { columns } = options;
  const rules: LsfRules = {
    ...options,
    dirSize: -1,
    now: modTimeFromMs(context.clock.now()),
    tier: dest.can.setTier !== undefined,
    formatTime: timeFormat(flags.timeformat, dest.traits.modTimePrecision),
  };
  const op: Op = { signal: context.signal };
  const isSimple = columns.every((column) => column === 'path' || column === 'size');
  const details = { ...lsfDetails(options), useServerModTime: flags['use-server-modtime'] };
  const read = detailReader(dest, details, op, () => {});
  let last: Promise<void> = Promise.resolve();
  // One after another: hashes of a disk are computed.
  const inTurn = (task: () => Promise<void>) => {
    last = last.catch(() => {}).then(task);
    return last;
  };
  const { 'dest-files-only': filesOnly, 'ls-dirs-only': dirsOnly } = flags;
  return {
    async destAfter(file, path) {
      if (dirsOnly) return;
      if (isSimple) return write(lsfLine({ ...file, path: path ?? file.path }, rules));
      await inTurn(async () => {
        const there = path === undefined ? file : await statOr(path);
        const entry =
          there?.kind === 'file' ? await read(there) : { ...file, path: path ?? file.path };
        await write(lsfLine(entry, rules));
      });
    },
    ...(filesOnly ? {} : { dirsAfter: listDirs }),
  };

  function statOr(path: string) {
    return dest.stat(path, op).catch(() => undefined);
  }

  async function listDirs(dirs: ReadonlySet<string>): Promise<void> {
    for (const dir of dirs) {
      const entry = await statOr(dir);
      if (entry?.kind !== 'dir') continue;
      await write(lsfLine(entry, rules));
    }
  }
}
