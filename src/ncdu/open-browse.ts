import { createReadStream, openSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ReadStream } from 'node:tty';
import type { Invocation, Output } from '../app/command.ts';
import type { Flags } from '../app/flags/flag-table.ts';
import { logText } from '../app/log/log-text.ts';
import { screenTerminal } from '../app/output/screen-terminal.ts';
import { fileForDirectory } from '../app/remotes/open-directory.ts';
import { requestsAtOnce } from '../app/remotes/requests-at-once.ts';
import { VERSION } from '../app/version.ts';
import type { BrowserEffects, Restraint } from '../browser/browser-effects.ts';
import { BrowserModel } from '../browser/browser-model.ts';
import { followLinks } from '../config/replace-file.ts';
import { SyncerError } from '../core/errors.ts';
import { nameToBytes } from '../core/name-bytes.ts';
import type { Remote } from '../core/remote.ts';
import { goErrno } from '../go/go-errno.ts';
import { expandPath } from '../kit/expand-path.ts';
import type { ScreenTerminal } from '../screen/screen-terminal.ts';
import { exportHtml } from '../size-tree/export-html.ts';
import { type ExportHeader, exportNcdu } from '../size-tree/export-ncdu.ts';
import { type ImportedScan, importNcdu } from '../size-tree/import-ncdu.ts';
import { ROOT } from '../size-tree/node.ts';
import { SizeTree } from '../size-tree/size-tree.ts';
import { deleteBudget } from '../sync/delete-budget.ts';
import { deleteNodes } from './delete-nodes.ts';
import { entryDetails, fileHead } from './entry-details.ts';
import { type Scanned, scanTree } from './scan-tree.ts';

/** What browsing begins with: the store may still be looked for while the first frame is shown. */
interface Browsed {
  readonly spec: string;
  readonly tree: SizeTree;
  readonly opened: Promise<Scanned>;
}

/** A browser that is ready to be shown, and where. */
export interface OpenBrowser {
  readonly model: BrowserModel;
  readonly terminal: ScreenTerminal;
}

/** Errors of the command line itself come this fast; the store is looked for while the first frame is shown. */
const SOON_MS = 50;

/** A file for a scan, `-` for standard output, and its format. */
interface ScanExport {
  readonly path: string;
  readonly format: (tree: SizeTree, header: ExportHeader) => Generator<string>;
}

function exportOf({ html, 'ncdu-output': json }: Flags): ScanExport | undefined {
  if (html !== undefined && json !== undefined) {
    throw new SyncerError('usage', 'give --output or --html, not both');
  }
  if (html !== undefined) return { path: html, format: exportHtml };
  return json === undefined ? undefined : { path: json, format: exportNcdu };
}

/** What `syncer ncdu` shows; `undefined` after `--output` and `--html`. Rejects with `usage` without a terminal or a path. */
export async function openBrowser(invocation: Invocation): Promise<OpenBrowser | undefined> {
  const { flags, args, context } = invocation;
  const { import: importFrom } = flags;
  const exportTo = exportOf(flags);
  const [spec] = args;
  if (importFrom !== undefined) {
    if (spec !== undefined) {
      throw new SyncerError('usage', 'give a path or --import, not both');
    }
    return openImported(invocation, importFrom, exportTo);
  }
  if (spec === undefined) throw new SyncerError('usage', 'give a path to browse: remote:path');
  const title = spec === '' || spec === '.' ? resolve('.') : spec;
  const tree = new SizeTree();
  if (exportTo !== undefined) {
    await exportScan(invocation, spec, title, exportTo);
    return undefined;
  }
  await invocation.remotes.readConfig();
  const opened = openScanned(invocation, spec, tree);
  opened.catch(() => undefined);
  const soon = context.clock.sleep(SOON_MS, context.signal);
  await Promise.race([opened, soon]);
  const terminal = screenTerminal(invocation, INSTEAD);
  const effects = browseEffects(invocation, { spec, tree, opened }, screenEffects(terminal));
  const restraint = restraintOf(invocation);
  const nowMs = () => context.clock.monotonic();
  const parts = { tree, title, effects, nowMs };
  return {
    model: new BrowserModel({ ...parts, ...(restraint === undefined ? {} : { restraint }) }),
    terminal,
  };
}

const INSTEAD = 'use --output to write the scan to a file, or "syncer size" or "syncer tree"';

function restraintOf({ flags }: Invocation): Restraint | undefined {
  if (flags['ncdu-read-only']) return 'read-only';
  return flags['dry-run'] ? 'dry-run' : undefined;
}

async function openImported(
  invocation: Invocation,
  path: string,
  exportTo: ScanExport | undefined,
): Promise<OpenBrowser | undefined> {
  const { context } = invocation;
  const { tree, title } = await readScan(path, () => invocation.input());
  if (exportTo !== undefined) {
    const header = { version: VERSION, timeMs: context.clock.now(), title };
    await writeScan(invocation.out, exportTo, tree, header);
    return undefined;
  }
  const terminal = path === '-' ? besidesInput(invocation) : screenTerminal(invocation, INSTEAD);
  const none = Promise.reject(new SyncerError('unsupported', 'a scan from a file has no remote'));
  none.catch(() => undefined);
  const effects = browseEffects(
    invocation,
    { spec: title, tree, opened: none },
    screenEffects(terminal),
  );
  const nowMs = () => context.clock.monotonic();
  const model = new BrowserModel({
    ...{ tree, title, effects, nowMs, restraint: 'imported', isScanned: true },
  });
  return { model, terminal };
}

/** Standard input has brought the scan: keys come from the terminal itself. */
function besidesInput(invocation: Invocation): ScreenTerminal {
  try {
    const stdin = new ReadStream(openSync('/dev/tty', 'r'));
    return screenTerminal(invocation, INSTEAD, stdin);
  } catch (cause) {
    if (cause instanceof SyncerError) throw cause;
    throw new SyncerError('usage', `the screen needs a terminal; ${INSTEAD}`, { cause });
  }
}

/** What is written to the terminal past the screen: nothing of it moves the cursor. */
function screenEffects({
  stdout,
  look,
}: ScreenTerminal): Pick<BrowserEffects, 'copyText' | 'clearScreen'> {
  const write = (sequence: string) => {
    if (!look.plain) stdout.write(sequence);
  };
  return {
    // OSC 52: most terminals put the text where it can be pasted, also over ssh.
    copyText(text) {
      const bytes = Buffer.from(text.toWellFormed());
      write(`\x1b]52;c;${bytes.toString('base64')}\x07`);
    },
    clearScreen: () => write('\x1b7\x1b[2J\x1b8'),
  };
}

/** `--output`: scans to the end, writes what could be read, and rejects where something could not. */
async function exportScan(
  invocation: Invocation,
  spec: string,
  title: string,
  exportTo: ScanExport,
): Promise<void> {
  const { context, out } = invocation;
  const tree = new SizeTree();
  const scanned = await openScanned(invocation, spec, tree);
  await scanTree(scanned, { into: ROOT, path: '' }, { signal: context.signal });
  const header = { version: VERSION, timeMs: context.clock.now(), title };
  await writeScan(out, exportTo, tree, header);
  let last: string | undefined;
  for (const [node, message] of tree.failures()) {
    const where = tree.path(node);
    last = `error listing: ${message}`;
    context.emit(logText('error', last, where === '' ? title : where));
  }
  if (last !== undefined) throw new SyncerError('other', last);
}

/** Writes a scan to a file, or to standard output for `-`. The file appears when it is complete. */
async function writeScan(
  out: Output,
  { path, format }: ScanExport,
  tree: SizeTree,
  header: ExportHeader,
): Promise<void> {
  if (path === '-') {
    for (const text of format(tree, header)) await out.write(text);
    return;
  }
  const target = await followLinks(path);
  const old = await stat(target).catch(() => undefined);
  // A pipe or a device is written into; a file in its place would be of no use to anybody.
  const isInPlace = old !== undefined && !old.isFile();
  const written = isInPlace ? target : `${target}.${process.pid}.partial`;
  try {
    const file = await open(written, 'w');
    try {
      for (const text of format(tree, header)) await file.writeFile(nameToBytes(text));
    } finally {
      await file.close();
    }
    if (!isInPlace) await rename(written, target);
  } catch (cause) {
    if (!isInPlace) await rm(written, { force: true });
    throw new SyncerError('other', `cannot write to ${path}: ${goErrno(cause)}`, { path, cause });
  }
}

/** Reads a scan from a file, or from standard input for `-`. Rejects with `other` where it cannot be read. */
async function readScan(path: string, stdin: () => Readable): Promise<ImportedScan> {
  try {
    return await importNcdu(path === '-' ? stdin() : createReadStream(path));
  } catch (cause) {
    const name = path === '-' ? 'standard input' : path;
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = cause instanceof SyncerError ? message : (code ?? message);
    throw new SyncerError('other', `cannot read ${name}: ${why}`, { path, cause });
  }
}

/** Opens what is to be browsed. Rejects with `not-a-directory` where it is a file. */
async function openScanned(invocation: Invocation, spec: string, tree: SizeTree): Promise<Scanned> {
  const [{ remote, file }, filter] = await Promise.all([
    invocation.remotes.openPath(spec),
    invocation.filter(),
  ]);
  if (file !== undefined) throw fileForDirectory(spec);
  const { flags } = invocation;
  const listed = flags['fast-list'] ? await fastListed(remote) : remote;
  return { remote: listed, filter, atOnce: requestsAtOnce(flags, remote), tree };
}

async function fastListed(remote: Remote): Promise<Remote> {
  if (remote.can.listDirs === undefined) return remote;
  const { treeListed } = await import('../sync/tree-listed.ts');
  return treeListed(remote);
}

/** All that the browser has done for it, by the program's own engine. */
function browseEffects(
  invocation: Invocation,
  { spec, opened }: Browsed,
  terminal: Pick<BrowserEffects, 'copyText' | 'clearScreen'>,
): BrowserEffects {
  let isStore = false;
  opened.then(
    ({ remote }) => {
      isStore = remote.traits.bucketBased;
    },
    () => undefined,
  );
  const mayGo = deleteBudget(invocation.flags['max-delete'] ?? -1).take;
  return {
    scan: async (into, path, preferred, op) =>
      scanTree(await opened, { into, path, preferred }, op),
    delete: async (nodes, report, op) =>
      deleteNodes({ ...(await opened), mayGo }, nodes, report, op),
    async transfer(request, report, op) {
      const { transferNodes } = await import('./transfer-nodes.ts');
      await transferNodes(invocation, { ...(await opened), spec }, request, report, op);
    },
    details: async (path, withHashes, op) =>
      entryDetails((await opened).remote, path, withHashes, op),
    head: async (path, op) => fileHead((await opened).remote, path, op),
    expand: (typed) => expandPath(typed, invocation.env),
    workDir: resolve('.'),
    fileNoun: () => (isStore ? 'object' : 'file'),
    ...terminal,
  };
}
