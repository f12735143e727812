import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import { modTimeFromMs } from '../../core/mod-time.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import type { Sides } from '../../engine/action.ts';
import { hashOf } from '../../engine/compare-pair.ts';
import { ALL } from '../../engine/consent.ts';
import { type CheckReports, type OutcomeReports, RunOutcomes } from '../../engine/outcomes.ts';
import { startRun } from '../../engine/run.ts';
import { passAllFilter } from '../../filter/filter.ts';
import { goErrno } from '../../go/go-texts.ts';
import { detailReader } from '../../listing/detail-reader.ts';
import { type LsfRules, lsfLine } from '../../listing/lsf-format.ts';
import { manifestLine, parseHashName } from '../../listing/sum-file.ts';
import { timeFormat } from '../../listing/time-format.ts';
import type { CommandCall, Remotes, StandardOutput } from '../../shell/command-line/command.ts';
import { logText } from '../../shell/log/log-text.ts';
import { openOutputFile } from '../../shell/output/output-file.ts';
import { openReplacement } from '../../state/replace-file.ts';
import { hashReader } from './hash-reader.ts';
import { lsfDetails, lsfOptions } from './listed-entries.ts';

const DONE = Promise.resolve();

type WriteLine = (line: string) => Promise<void>;

/**
 * Opens the report files of `check`; `-` is standard output. `close` writes what is left and closes them; it rejects if
 * that fails.
 */
export async function openReports(invocation: CommandCall & StandardOutput) {
  const reports: Report[] = [];
  const writers: Record<string, WriteLine> = {};
  try {
    for (const flag of FILE_REPORTS) {
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

const FILE_REPORTS = [
  ...(['combined', 'match', 'differ', 'missing-on-src', 'missing-on-dst', 'error'] as const),
];

type Report = NonNullable<Awaited<ReturnType<typeof openReport>>>;

/** Opens one report; `undefined` if the flag is not given. */
async function openReport(
  { flags, out }: CommandCall & StandardOutput,
  flag: (typeof FILE_REPORTS)[number] | 'dest-after',
) {
  const path = flags[flag];
  if (path === undefined || path === '') return undefined;
  if (path === '-') return { write: (line: string) => out.write(line), close: async () => {} };
  const file = await openOutputFile(path, `the report --${flag} ${path}`);
  let batch = '';
  const flush = () => {
    const text = batch;
    batch = '';
    return text === '' ? DONE : file.write(text);
  };
  return {
    write(line: string) {
      batch += line;
      return batch.length < 64 << 10 ? DONE : flush();
    },
    close: () => flush().finally(() => file.close()),
  };
}

async function closeAll(reports: readonly Report[]): Promise<void> {
  const closed = await Promise.allSettled(reports.map((report) => report.close()));
  for (const result of closed) if (result.status === 'rejected') throw result.reason;
}

/**
 * Opens the report files of a copy, sync or move.
 *
 * @param deletes files that only the destination has are deleted
 */
export async function openOutcomes(
  invocation: CommandCall & Remotes & StandardOutput,
  { source, dest }: Sides,
  deletes: boolean,
) {
  const manifest = await openManifest(invocation, source, dest);
  const list = await openReport(invocation, 'dest-after');
  const { writers, close: closeReports } = await openReports(invocation);
  const listed: OutcomeReports = list === undefined ? {} : destAfter(invocation, dest, list.write);
  const { destAfter: first } = listed;
  const both: OutcomeReports['destAfter'] =
    first &&
    (async (...found) => void (await Promise.all([first(...found), manifest?.add(...found)])));
  const after = { ...listed, ...(manifest && { destAfter: both ?? manifest.add }) };
  const outcomes = new RunOutcomes({ ...writers, ...after }, deletes);
  return {
    outcomes,
    /** Completes the reports and closes the files; `isWhole`: the run had no error. Rejects if that fails. */
    async close(isWhole: boolean) {
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

/** The lines of `--dest-after`, as `lsf` prints them. */
function destAfter(
  { flags, context }: CommandCall,
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
  const statOr = (path: string) => dest.stat(path, op).catch(() => undefined);
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
    ...(!filesOnly && {
      async dirsAfter(dirs) {
        for (const dir of dirs) {
          const entry = await statOr(dir);
          if (entry?.kind === 'dir') await write(lsfLine(entry, rules));
        }
      },
    }),
  };
}

/**
 * Opens the file of `--manifest`, for the hashes of what the run copied or found equal, as `sha256sum` writes them.
 * `undefined` without the flag, and for a dry run. Rejects with `usage` for an unknown hash.
 */
export async function openManifest(
  { flags, context, out, bandwidth }: CommandCall & Remotes & StandardOutput,
  source: Remote,
  dest: Remote,
) {
  const { manifest: path, 'manifest-hash': hash, 'dry-run': isDryRun } = flags;
  if (!path || isDryRun) return undefined;
  const name = parseHashName(hash, 'usage');
  const run = startRun({ context, filter: passAllFilter, consent: ALL, bandwidth });
  const { op } = run;
  const tries = flags['low-level-retries'];
  const download = hashReader(run, dest, name, { download: true, tries });
  const target = path === '-' ? out : await toFile(path);
  let last = Promise.resolve();
  const fileAt = async (path: string) => {
    const file = await dest.stat(path, op);
    if (file?.kind === 'file') return file;
    throw new SyncerError('file-not-found', 'not in the manifest: it is no longer there', { path });
  };
  /** The hash of the source, if it needs no transfer and the file did not change. */
  const hashOfSource = async (file: FileEntry) => {
    if (!source.traits.hashes.includes(name)) return undefined;
    const known = await hashOf(source, file, name, op).catch(() => undefined);
    op.signal.throwIfAborted();
    const now = known === undefined ? undefined : await source.stat(file.path, op);
    const isSame = now?.kind === 'file' && now.size === file.size && now.modTime === file.modTime;
    return isSame ? known : undefined;
  };
  const write = async (file: FileEntry, at: string, ofSource: FileEntry) => {
    const there = async () => (at === file.path ? file : fileAt(at));
    // What a store has, or computes without a transfer.
    const isKnown = dest.traits.hashes.includes(name);
    const value =
      (isKnown ? await hashOf(dest, await there(), name, op) : undefined) ??
      (await hashOfSource(ofSource)) ??
      (await download(await fileAt(at)));
    await target.write(manifestLine(value ?? '', at));
  };
  return {
    add(
      file: FileEntry,
      path?: string,
      ofSource: FileEntry | undefined = path === undefined ? undefined : file,
    ): Promise<void> {
      // What only the destination has is not the run's.
      if (ofSource === undefined) return Promise.resolve();
      // One after another: the order of the lines is that of the run.
      last = last.catch(() => {}).then(() => write(file, path ?? file.path, ofSource));
      return last;
    },
    /** Gives the manifest its name; the one before it stays if `isWhole` is false. */
    close(isWhole: boolean): Promise<void> {
      if (!isWhole) {
        const text = 'not written, as the run did not succeed';
        context.emit(logText('notice', text, `manifest ${path}`));
      }
      return 'close' in target ? target.close(isWhole) : DONE;
    },
  };
}

/** A file that has its name only when it is whole; until then one that no listing shows, and the next run deletes. */
async function toFile(path: string) {
  if ((await stat(path).catch(() => undefined))?.isDirectory()) {
    throw new SyncerError('usage', `--manifest ${path} is a directory; give the name of a file`);
  }
  const failed = (cause: unknown) => {
    const text = `cannot write to the manifest ${path}: ${goErrno(cause)}`;
    throw new SyncerError('other', text, { path, cause });
  };
  const how = { mode: 0o666, isLasting: false };
  const manifest = await openReplacement(resolve(path), how).catch(failed);
  return {
    write: (line: string) => manifest.file.appendFile(nameToBytes(line)).catch(failed),
    async close(isWhole: boolean) {
      if (isWhole) await manifest.put();
      await manifest.drop();
    },
  };
}
