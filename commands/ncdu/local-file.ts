import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SyncerError } from '../../src/core/errors.ts';
import type { FileEntry, Op } from '../../src/core/remote.ts';
import { leafName } from '../../src/core/remote-path.ts';
import { harmless } from '../../src/core/shown-text.ts';
import { fileAt } from '../../src/engine/file-at.ts';
import { hasPrint } from '../../src/run/review/planned-change.ts';
import type { TransferNeeds } from '../../src/run/transfer/transfer.ts';
import type { CommandCall, Environment } from '../../src/shell/command-line/command.ts';
import { shownText } from '../../src/shell/log/shown-words.ts';
import { runInTerminal } from '../../src/shell/process/run-in-terminal.ts';
import type {
  LocalFile,
  ProgramKind,
  TransferReport,
} from '../../src/size-tree/browser-effects.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import { factsOf } from './entry-details.ts';
import { oneTransfer, replacing } from './one-transfer.ts';
import { specBelow, type TransferSource } from './transfer-nodes.ts';

/** A file of the scan for programs of this machine: the file itself if it is on a disk, else a private copy. */
export async function localFile(
  invocation: TransferNeeds,
  { tree, remote, spec }: TransferSource,
  node: NodeId,
  report: TransferReport,
  op: Op,
): Promise<LocalFile> {
  const path = tree.path(node);
  const there = specBelow(spec, path);
  const opened = await fileAt({ op }, remote, path);
  if (opened === undefined) throw new SyncerError('file-not-found', `${path} no longer exists`);
  // Where the file is on a disk of this machine, if a program can open it there under its name.
  const { onDisk, inProcess } = remote.traits;
  const isNamed = onDisk && inProcess !== true && opened.path.isWellFormed();
  const place = isNamed ? join(resolve(remote.root), opened.path) : undefined;
  const stats = place === undefined ? undefined : await stat(place).catch(() => undefined);
  const own = stats?.isFile() && stats.size === opened.size ? place : undefined;
  const nothing = async () => undefined;
  if (own !== undefined) {
    return { path: own, isCopy: false, edited: nothing, save: nothing, remove: nothing };
  }
  const dir = await mkdtemp(join(tmpdir(), 'syncer-'));
  // A name that every disk takes; its end says to programs what is in it.
  const name = leafName(path)
    .toWellFormed()
    .replace(/[\0-\x1f\x7f]/g, '_');
  const safe = [...name].slice(-60).join('');
  const copy = join(dir, /^\.{0,2}$/.test(safe) ? 'file' : safe);
  const made: { timeMs?: number } = {};
  // A program that was ended may have left more than it was given.
  const drop = () => {
    const timeMs = statSync(copy, { throwIfNoEntry: false })?.mtimeMs;
    const isAsMade = [made.timeMs, timeMs].includes(undefined) || timeMs === made.timeMs;
    if (isAsMade && readdirSync(dir).length <= 1) rmSync(dir, { recursive: true, force: true });
  };
  process.on('exit', drop);
  // In one go: a signal in between would end the program with half of it done.
  const remove = async () => {
    process.off('exit', drop);
    const given = basename(copy);
    for (const own of [given, `${given}~`, `.${given}.swp`])
      rmSync(join(dir, own), { force: true });
    if (readdirSync(dir).length > 0) return dir;
    rmdirSync(dir);
    return undefined;
  };
  try {
    await oneTransfer(invocation, { verb: 'copy', from: there, to: copy }, report, op);
  } catch (thrown) {
    process.off('exit', drop);
    await rm(dir, { recursive: true, force: true });
    throw thrown;
  }
  const sum = await sumOf(copy);
  made.timeMs = statSync(copy).mtimeMs;
  let expected: FileEntry | undefined = opened;
  return {
    path: copy,
    isCopy: true,
    async edited(op) {
      const { size } = await stat(copy);
      if ((await sumOf(copy)) === sum) return undefined;
      // Kept even if the program ends before the question is answered.
      process.off('exit', drop);
      expected = await fileAt({ op }, remote, path);
      const rival = expected === undefined ? 'gone' : factsOf(expected);
      const isSame = hasPrint(opened, expected);
      return { bytes: size, before: factsOf(opened), rival: isSame ? undefined : rival };
    },
    async save(report, op) {
      const now = await fileAt({ op }, remote, path);
      if (!hasPrint(expected, now))
        throw new SyncerError('source-changed', `${path} has changed since the question`);
      const layer = await replacing({ remote, path, md5: () => sumOf(copy, 'md5') }, now, op);
      await oneTransfer(invocation, { verb: 'copy', from: copy, to: there, layer }, report, op);
    },
    remove,
  };
}

async function sumOf(path: string, name = 'sha256'): Promise<string> {
  const hash = createHash(name);
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** A pager that shows nothing once it has ended would show nothing at all. */
const PAGER = 'if command -v less >/dev/null 2>&1; then exec less "$1"; else exec more "$1"; fi';

/**
 * Runs the user's pager or editor with a file, or a shell in a directory of what is browsed: `$PAGER`, `$VISUAL` or
 * `$EDITOR`, `$SHELL`. The program takes the place of the shell that reads its line, so that it gets all signals.
 * Resolves to why it failed, or to `''`; a shell may end with any code.
 * @param place what is browsed, and where it is on this machine
 */
export async function runProgram(
  { env, context: { signal } }: CommandCall & Environment,
  kind: ProgramKind,
  path: string,
  { spec, disk }: { readonly spec: string; readonly disk: string | undefined },
): Promise<string> {
  if (kind === 'shell') {
    const file = env['SHELL'] || '/bin/sh';
    const place = specBelow(spec, path);
    const own = disk === undefined ? { SYNCER_REMOTE: place } : {};
    const shown = shownText(place);
    const where = disk === undefined ? `here, with SYNCER_REMOTE=${shown}` : `in ${shown}`;
    process.stdout.write(`A shell ${harmless(where)}; exit goes back.\n`);
    const cwd = disk === undefined ? undefined : join(disk, path);
    const why = await runInTerminal({ file, args: [], cwd, env: { ...env, ...own } }, signal);
    return why.startsWith('Cannot start') ? `${file}: ${why}` : '';
  }
  const pager = env['PAGER']?.trim() ?? '';
  const program =
    kind === 'editor'
      ? `exec env ${env['VISUAL'] || env['EDITOR'] || 'vi'} "$1"`
      : /^(?:cat)?$/.test(pager)
        ? PAGER
        : `exec env ${pager} "$1"`;
  const args = ['-c', program, 'sh', path];
  const why = await runInTerminal({ file: '/bin/sh', args, cwd: dirname(path), env }, signal);
  const name = program === PAGER ? 'less' : program.replace(/^exec env | "\$1"$/g, '');
  return why === '' ? '' : `${name}: ${why}`;
}
