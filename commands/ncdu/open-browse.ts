import { openSync } from 'node:fs';
import { resolve } from 'node:path';
import { ReadStream } from 'node:tty';
import { loadBrowser, type MakeSide } from '../../components/open.ts';
import { parseRemoteSpec } from '../../src/config/remote-spec.ts';
import type { FixedOptions } from '../../src/config/resolve-options.ts';
import { abortable, type Context, linkedAbort } from '../../src/core/context.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Op, Remote } from '../../src/core/remote.ts';
import { harmless } from '../../src/core/shown-text.ts';
import { LIST_LINKS } from '../../src/run/remotes/remote-flags.ts';
import type { TransferNeeds } from '../../src/run/transfer/transfer.ts';
import type {
  Changing,
  CommandCall,
  Environment,
  InnerRuns,
  Program,
  Remotes,
  StandardInput,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { deleteBudget } from '../../src/shell/flags/delete-limits.ts';
import { hasScreenTerminal, screenTerminal } from '../../src/shell/interactive/screen-terminal.ts';
import { shownText } from '../../src/shell/log/shown-words.ts';
import type {
  BrowserEffects,
  KeptView,
  Noted,
  TrashWay,
} from '../../src/size-tree/browser-effects.ts';
import { SizeTree } from '../../src/size-tree/size-tree.ts';
import { expandPath } from '../../src/system/shell-words.ts';
import type { ScreenTerminal } from '../../src/terminal/screen-model.ts';
import { ago } from '../../src/terminal/time-texts.ts';
import type { NCDU_FLAGS } from './command.ts';
import { deleteNodes } from './delete-nodes.ts';
import { contentHash, entryDetails, fileHead } from './entry-details.ts';
import { mountPoints } from './mount-points.ts';
import { pricePath, readPrices } from './price-file.ts';
import {
  absolute,
  type Opened,
  openScanned,
  readImported,
  type ScanHistory,
  scannedSpecs,
} from './scan-history.ts';
import { scanTree } from './scan-tree.ts';
import type { Trashed } from './task-run.ts';
import type { TransferSource } from './transfer-nodes.ts';

/** Errors of the command line itself come this fast; the store is looked for while the first frame is shown. */
const SOON_MS = 50;
/** Without a terminal there is no first frame. */
const LATE_MS = 3000;

/** What the browser needs: each act of it is a run of its own. */
export type BrowserNeeds = CommandCall<typeof NCDU_FLAGS> &
  Program &
  Environment &
  Remotes &
  StandardOutput &
  StandardInput &
  Changing &
  InnerRuns;

/**
 * What `syncer ncdu` shows, and where. `finish` waits for what is still written, or gives it up. Rejects with `usage`
 * without a terminal or a path.
 */
export async function openBrowser(invocation: BrowserNeeds, complete: BrowserEffects['complete']) {
  const { flags, context } = invocation;
  const specs = scannedSpecs(invocation);
  if (specs === undefined) return openImported(invocation);
  await invocation.remotes.readConfig();
  const sides: Browsed[] = [];
  const left = linkedAbort(context.signal);
  const browse = (path: string): Browsed => {
    const tree = new SizeTree();
    const opened = openScanned(invocation, path, tree, left.signal);
    opened.catch(() => undefined);
    const side = { spec: path, tree, opened };
    sides.push(side);
    return side;
  };
  for (const path of specs) browse(path);
  const waited = linkedAbort(context.signal);
  const soon = context.clock.sleep(hasScreenTerminal() ? SOON_MS : LATE_MS, waited.signal);
  soon.catch(() => undefined);
  await Promise.race([Promise.all(sides.map(({ opened }) => opened)), soon]).finally(() =>
    waited.abort(),
  );
  const terminal = screenTerminal(invocation, INSTEAD);
  const { BrowserModel, PairModel } = await loadBrowser();
  const restraint = flags['ncdu-read-only']
    ? 'read-only'
    : flags['dry-run']
      ? 'dry-run'
      : undefined;
  const make =
    (side: Browsed): MakeSide =>
    (sides) =>
      new BrowserModel({
        tree: side.tree,
        spec: absolute(side.spec),
        effects: browseEffects(invocation, side, terminal, complete),
        nowMs: () => context.clock.monotonic(),
        showsChanges: flags.diff !== undefined,
        ...(restraint && { restraint }),
        sides,
      });
  return {
    model: new PairModel(sides.map(make), (path) => make(browse(path))),
    terminal,
    async finish(isHasty: boolean) {
      // What is still looked for has nothing to write, and its server may never answer.
      left.abort(new Error('the browser was left'));
      for (const { opened } of sides) {
        const ready = await opened.catch(() => undefined);
        await ready?.history.close(isHasty);
      }
    },
  };
}

const INSTEAD = 'use --output to write the scan to a file, or "syncer size" or "syncer tree"';

async function openImported(invocation: BrowserNeeds) {
  const { context, flags } = invocation;
  const { tree, title, history } = await readImported(invocation);
  const isInput = flags.import === '-';
  const terminal = isInput ? besidesInput(invocation) : screenTerminal(invocation, INSTEAD);
  const none = Promise.reject(new SyncerError('unsupported', 'a scan from a file has no remote'));
  none.catch(() => undefined);
  const effects = {
    ...browseEffects(invocation, { spec: title, tree, opened: none }, terminal),
    older: ({ signal }: Op) => history.older(signal),
  };
  const { BrowserModel, PairModel } = await loadBrowser();
  const model = new BrowserModel({
    tree,
    spec: title,
    effects,
    restraint: 'imported',
    isScanned: true,
    nowMs: () => context.clock.monotonic(),
    showsChanges: flags.diff !== undefined,
  });
  const alone = () => model;
  return { model: new PairModel([alone], () => alone), terminal, finish: () => history.close() };
}

/** Standard input has brought the scan: keys come from the terminal itself. */
function besidesInput(invocation: CommandCall & Environment): ScreenTerminal {
  try {
    const stdin = new ReadStream(openSync('/dev/tty', 'r'));
    return screenTerminal(invocation, INSTEAD, stdin);
  } catch (cause) {
    if (cause instanceof SyncerError) throw cause;
    throw new SyncerError('usage', `the screen needs a terminal; ${INSTEAD}`, { cause });
  }
}

/** What browsing begins with: the store may still be looked for while the first frame is shown. */
interface Browsed {
  readonly spec: string;
  readonly tree: SizeTree;
  readonly opened: Promise<Opened>;
}

/** All that the browser has done for it, by the program's own engine. */
function browseEffects(
  invocation: BrowserNeeds,
  { spec, opened }: Browsed,
  { stdout, look }: ScreenTerminal,
  complete?: BrowserEffects['complete'],
): BrowserEffects {
  let isStore = false;
  let disk: string | undefined;
  opened.then(
    ({ remote: { traits, root } }) => {
      isStore = traits.bucketBased;
      if (traits.onDisk && traits.inProcess !== true) disk = resolve(root);
    },
    () => undefined,
  );
  // A server may not answer: what is stopped, or left, does not wait for it.
  const ready = ({ signal }: Op) => abortable(opened, signal);
  const source = async (op: Op) => ({ ...(await ready(op)), spec });
  const acts = () => import('./acts.ts');
  /** Does an act as a run of its own. */
  const ran = async <T>(
    report: Noted,
    op: Op,
    act: (
      own: TransferNeeds,
      from: TransferSource,
      all: Awaited<ReturnType<typeof acts>>,
    ) => Promise<T>,
  ): Promise<T> => {
    const [from, all] = await Promise.all([source(op), acts()]);
    return all.asRun(invocation, { report, op }, (own) => act(own, from, all));
  };
  // Links of a disk are files of its trash.
  const trashed = (): Trashed => {
    if (disk === undefined) return { spec };
    const isNamed = parseRemoteSpec(spec).name !== '';
    return { spec: isNamed ? spec : disk, options: LIST_LINKS };
  };
  // Without a history nothing can be undone, nor would a trash find its files again.
  const keeping: Pick<BrowserEffects, 'trash' | 'planUndo'> = invocation.flags['no-history']
    ? {}
    : {
        planUndo: async (run, op) => (await acts()).planUndo(invocation, run, op),
        trash: {
          // What links lead to may be outside, and on another disk.
          way: async (op) =>
            disk !== undefined && invocation.flags['copy-links']
              ? undefined
              : trashWay((await ready(op)).remote, op),
          isFirst: invocation.flags.trash || invocation.flags['trash-dir'] !== undefined,
          list: async (op) => (await acts()).listTrash(invocation, trashed(), op),
          restore: async (run, report, op) =>
            (await acts()).restoreTrash(invocation, trashed(), run, report, op),
          empty: async (some, report, op) =>
            (await acts()).emptyTrash(invocation, trashed(), some, report, op),
        },
      };
  const { diff } = invocation.flags;
  let older: ReturnType<ScanHistory['older']> | undefined;
  const budget = deleteBudget(invocation.flags);
  return {
    scan: async (into, path, preferred, op) =>
      scanTree(await ready(op), { into, path, preferred }, op),
    waiting: () => waitingText(invocation.context),
    ...(diff === undefined && {
      async kept(op: Op): Promise<KeptView | undefined> {
        const { history, tree } = await ready(op);
        const newest = await history.newest();
        if (newest === undefined) return undefined;
        return {
          age: ago(invocation.context.clock.now() - newest.timeMs),
          read: ({ signal }) => history.open(newest, tree, signal),
        };
      },
    }),
    async listed() {
      const { history, tree } = await opened;
      history.save(tree);
      if (diff === undefined) older = undefined;
    },
    async older(op) {
      const { history } = await ready(op);
      older ??= history.older(op.signal);
      older.catch(() => {
        older = undefined;
      });
      return older;
    },
    mountPoints: (paths) => (disk === undefined ? [] : mountPoints(disk, paths)),
    async delete(nodes, to, report, op) {
      const scanned = await ready(op);
      const { asRun, emptyRun } = await acts();
      const isKept = to === 'trash';
      const isForGood = !isKept && (await trashWay(scanned.remote, op)) === 'versions';
      const deleted: string[] = [];
      const noted = isForGood ? { ...report, noted: (id: string) => deleted.push(id) } : report;
      const flags = { trash: isKept, ...(isKept ? {} : { 'trash-dir': undefined }) };
      await asRun(invocation, { report: noted, op, flags }, async (own) => {
        // Another directory keeps files only: as one, a link could not be restored.
        const keepsLinks = isKept && disk !== undefined && !invocation.flags['trash-dir'];
        const links: FixedOptions = keepsLinks ? { links: 'true' } : {};
        const deleter = await own.remotes.openDir(spec, links);
        const { emit } = own.context;
        const removal = { ...scanned, own: deleter, budget, emit, isKept };
        const { tree } = scanned;
        // Without mount points, which may have come since the question.
        const wanted = nodes.filter((node) => {
          if (disk === undefined || !tree.isThere(node) || !tree.isDir(node)) return true;
          const path = tree.path(node);
          const [point] = mountPoints(disk, [path]);
          if (point === undefined) return true;
          report.failed(node, path, `not deleted: ${point} is a mount point`);
          return false;
        });
        await deleteNodes(removal, wanted, report, op);
      });
      for (const id of deleted) await emptyRun(invocation, { spec }, id, op);
    },
    ...keeping,
    refusalAt: async (dest, names, op) => (await acts()).refusalAt(invocation, dest, names, op),
    conflicts: async (request, op) =>
      (await acts()).conflictsOf(invocation, await source(op), request, op),
    transfer: (request, report, op) =>
      ran(report, op, (own, from, all) => all.transferNodes(own, from, request, report, op)),
    details: async (path, withHashes, op) =>
      entryDetails((await ready(op)).remote, path, withHashes, op),
    contentHash: async (path, size, onBytes, op) =>
      contentHash(invocation.context, (await ready(op)).remote, { path, size }, onBytes, op),
    head: async (path, op) => fileHead((await ready(op)).remote, path, op),
    expand: (typed) => expandPath(typed, invocation.env),
    shown: (path) => shownText(path),
    rename: (node, name, report, op) =>
      ran(report, op, (own, from, all) => all.renameNode(own, from, [node, name], report, op)),
    makeDir: async (dir, name, op) => (await acts()).makeDirNode(await ready(op), dir, name, op),
    async planUpload(from, dir, op) {
      const [to, { planUpload }] = await Promise.all([source(op), acts()]);
      const plan = await planUpload(invocation, to, from, dir, op);
      return {
        ...plan,
        run: (answers, report, op) => ran(report, op, (own) => plan.run(own, answers, report, op)),
      };
    },
    lookAgain: async (dir, name, op) => (await acts()).lookAgain(await ready(op), dir, name, op),
    localFile: async (node, report, op) =>
      (await acts()).localFile(invocation, await source(op), node, report, op),
    runProgram: async (kind, path) =>
      (await acts()).runProgram(invocation, kind, path, { spec, disk }),
    isLocal: () => disk !== undefined,
    workDir: resolve('.'),
    fileNoun: () => (isStore ? 'object' : 'file'),
    pricePath: () => (isStore ? pricePath(invocation) : undefined),
    async prices() {
      const { remote } = await opened;
      const path = pricePath(invocation);
      return path !== undefined && isStore ? readPrices(path, remote.name) : undefined;
    },
    complete,
    // OSC 52: most terminals put the text where it can be pasted, also over ssh; the cursor stays where it is.
    copyText(text) {
      const bytes = Buffer.from(text.toWellFormed()).toString('base64');
      if (!look.plain) stdout.write(`\x1b]52;c;${bytes}\x07`);
    },
  };
}

/** How a place keeps what is deleted; `undefined`: it cannot. */
async function trashWay({ can, traits, root }: Remote, op: Op): Promise<TrashWay | undefined> {
  // Each bucket may have another way.
  if (traits.bucketBased && root === '') return undefined;
  if ((await can.restoring?.keeps(op))?.deleted === true) {
    return traits.bucketBased ? 'versions' : 'bin';
  }
  if (can.moveFrom !== undefined) return 'moves';
  return can.copyFrom === undefined ? undefined : 'copies';
}

/** A wait is shown for so long after its end, in milliseconds: the next one may follow. */
const SHOWN_MS = 1000;

/** What the last request that was refused waits for. */
function waitingText({ clock, lastWait }: Context): string | undefined {
  const last = lastWait?.();
  if (last === undefined) return undefined;
  const { why, untilMs, what, error } = last;
  const leftMs = untilMs - clock.monotonic();
  if (leftMs < -SHOWN_MS) return undefined;
  const [doing, until] = why === 'throttled' ? ['throttled', ', waiting'] : ['trying again', ' in'];
  const wait = leftMs > 0 ? `${until} ${Math.ceil(leftMs / 1000)} s` : '';
  return harmless(`${doing}${wait}: ${error?.message ?? what}`);
}
