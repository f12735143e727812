import { resolve } from 'node:path';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Op } from '../../src/core/remote.ts';
import { readPages } from '../../src/core/remote-calls.ts';
import { entryTest, keptEntries } from '../../src/listing/kept-entries.ts';
import { listsFlat } from '../../src/listing/walk-tree.ts';
import type {
  CommandCall,
  Environment,
  Remotes,
  StandardInput,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import type { FlagsWith } from '../../src/shell/flags/flag-table.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { shownText } from '../../src/shell/log/shown-words.ts';
import { VERSION } from '../../src/shell/version.ts';
import { changedDirs, changeLines } from '../../src/size-tree/dir-changes.ts';
import { exportHtml } from '../../src/size-tree/export-html.ts';
import { type ExportHeader, exportNcdu, NcduSpool } from '../../src/size-tree/export-ncdu.ts';
import { ROOT } from '../../src/size-tree/node.ts';
import { SizeTree } from '../../src/size-tree/size-tree.ts';
import { timeText } from '../../src/terminal/figures.ts';
import type { NCDU_FLAGS } from './command.ts';
import { writeText } from './scan-files.ts';
import {
  absolute,
  type Opened,
  openScanned,
  readImported,
  type ScanHistory,
  scannedSpecs,
} from './scan-history.ts';
import { type Scanned, scanTree } from './scan-tree.ts';

/** A file for a scan, `-` for standard output, and its format. */
interface ScanExport {
  readonly path: string;
  /** Absent for changes: what `--diff` gives. */
  readonly format?: (tree: SizeTree, header: ExportHeader) => Generator<string | Uint8Array>;
}

/** Where `--output` or `--html` writes. */
function exportOf({ html, 'ncdu-output': json, diff }: FlagsWith<typeof NCDU_FLAGS>): ScanExport {
  if (json !== undefined && diff !== undefined) return { path: json };
  return html === undefined
    ? { path: json ?? '', format: exportNcdu }
    : { path: html, format: exportHtml };
}

/** `--output` and `--html`: writes a scan of a path, or the one that is imported. */
export async function exportScan(
  invocation: CommandCall<typeof NCDU_FLAGS> &
    Environment &
    Remotes &
    StandardOutput &
    StandardInput,
): Promise<void> {
  const exportTo = exportOf(invocation.flags);
  const specs = scannedSpecs(invocation);
  if (specs === undefined) {
    const { tree, title, history } = await readImported(invocation);
    return writeExport(invocation, exportTo, tree, title, history);
  }
  const [spec = '', second] = specs;
  if (second !== undefined) throw new SyncerError('usage', 'give one path to write a scan of');
  const opened = await openScanned(invocation, spec, new SizeTree());
  await exportOpened(invocation, opened, shownText(absolute(spec)), exportTo);
}

/** Scans to the end, writes what could be read, and rejects where something could not. */
async function exportOpened(
  invocation: CommandCall<typeof NCDU_FLAGS> & StandardOutput,
  opened: Opened,
  title: string,
  exportTo: ScanExport,
): Promise<void> {
  const { context, out } = invocation;
  const { history, tree, remote } = opened;
  const op = { signal: context.signal };
  const spool = exportTo.format === exportNcdu ? await spoolScan(opened, op) : undefined;
  const failures = new Map<string, string>();
  try {
    if (spool !== undefined) {
      if (spool.failure !== undefined) failures.set(title, spool.failure);
      const header = { version: VERSION, timeMs: context.clock.now(), title };
      await writeText(out, exportTo.path, spool.export(header));
    } else {
      await scanTree({ ...opened, inOrder: true }, { into: ROOT, path: '' }, op);
      for (const [node, message] of tree.failures())
        failures.set(tree.path(node) || title, message);
      // As in ncdu: the path of the disk, wherever the file is read.
      const top = remote.traits.onDisk && remote.name === '' ? resolve(remote.root) : title;
      const header = { version: VERSION, timeMs: context.clock.now(), title: top };
      // Other threads compress it during the export. Not for changes: the scan they are compared with may go. A reader of
      // standard output may be slow, or stop.
      if (exportTo.format === exportNcdu && exportTo.path !== '-') {
        await history.saveBeside(tree, header, (pieces) => writeText(out, exportTo.path, pieces));
      } else {
        if (exportTo.format !== undefined) history.save(tree);
        await writeExport(invocation, exportTo, tree, top, history);
      }
    }
  } finally {
    if (spool !== undefined) {
      const isCut = spool.failure !== undefined;
      const { bytes } = spool;
      history.saveText({ isCut, bytes, export: (of) => spool.export(of), isValid: () => true });
    } else if (exportTo.format === undefined) history.save(tree);
    await history.close();
    spool?.close();
  }
  for (const [where, message] of failures)
    context.emit(logText('error', `error listing: ${message}`, where));
  const last = [...failures.values()].at(-1);
  if (last !== undefined) throw new SyncerError('other', `error listing: ${last}`);
}

/** Writes a scan, or what has changed since an older one. */
async function writeExport(
  { out, context }: CommandCall & StandardOutput,
  { path, format }: ScanExport,
  tree: SizeTree,
  title: string,
  history: ScanHistory,
): Promise<void> {
  if (format !== undefined) {
    const header = { version: VERSION, timeMs: context.clock.now(), title };
    return writeText(out, path, format(tree, header));
  }
  const older = await history.older(context.signal);
  if (older === undefined) {
    const next = history.saves ? '; this one is saved for the next time' : '';
    throw new SyncerError('other', `no saved scan of ${title} to compare with${next}`);
  }
  context.emit(logText('notice', `Changes since the scan of ${timeText(older.timeMs)}`));
  for (const [dir] of older.tree.failures()) {
    const where = older.tree.path(dir);
    const text = 'Could not be listed in the older scan: its difference is not known';
    context.emit(logText('notice', text, where === '' ? title : where));
  }
  const dirs = changedDirs({ before: older.tree, after: tree }, { isApparent: false });
  await writeText(out, path, changeLines(dirs));
}

/**
 * Scans for an export only, if one flat listing in order is enough: no entry stays in memory. `undefined` if it is not,
 * and if an entry did not come in the order of paths. A listing that fails after its first page is noted; rejects if it
 * fails before, or the signal is aborted.
 */
export async function spoolScan(
  { remote, filter, atOnce, isAll = false }: Scanned,
  op: Op,
): Promise<NcduSpool | undefined> {
  const { listTreePage } = remote.can;
  const isAccount = remote.traits.bucketBased && remote.root === '';
  const isFlat = listsFlat({ remote, filter, want: 'all' });
  if (listTreePage === undefined || isAll || isAccount || !isFlat) return undefined;
  const spool = new NcduSpool();
  const fail = (thrown: unknown, path: string) =>
    spool.fail(`${path}: ${toSyncerError(thrown).message}`);
  const test = entryTest(remote, filter, op, fail);
  const readPage = (cursor: string | undefined) => listTreePage('', cursor, { ...op, atOnce });
  let result: NcduSpool | undefined;
  let isAdding = false;
  try {
    for await (const page of readPages(readPage, ({ path, error }) => fail(error, path))) {
      const wanted = filter.passesAll
        ? page
        : await keptEntries(
            page.filter(({ path }) => test.keepParents(path)),
            test.keepEntry,
            atOnce,
          );
      isAdding = true;
      if (!spool.add(wanted)) return undefined;
      isAdding = false;
    }
    result = spool;
  } catch (thrown) {
    op.signal.throwIfAborted();
    // The temporary file is no part of the listing.
    if (isAdding || spool.isEmpty) throw thrown;
    spool.fail(toSyncerError(thrown).message);
    result = spool;
  } finally {
    if (result === undefined) spool.close();
  }
  return result;
}
