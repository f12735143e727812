import { resolve } from 'node:path';
import type { Invocation } from '../app/command.ts';
import { deleteLimits } from '../app/flags/delete-limits.ts';
import { shownText } from '../app/log/shown-words.ts';
import type { BrowserEffects, DeleteReport, KeptView } from '../browser/browser-effects.ts';
import { harmless } from '../core/harmless.ts';
import type { Op } from '../core/remote.ts';
import { deleteBudget } from '../engine/run-limits.ts';
import { abortable } from '../kit/abort.ts';
import { expandPath } from '../kit/shell-words.ts';
import type { ScreenTerminal } from '../screen/screen-model.ts';
import { ago } from '../screen/time-texts.ts';
import type { NodeId } from '../size-tree/node.ts';
import type { SizeTree } from '../size-tree/size-tree.ts';
import { deleteNodes } from './delete-nodes.ts';
import { entryDetails, fileHead } from './entry-details.ts';
import type { Opened } from './export-scan.ts';
import { mountPoints } from './mount-points.ts';
import { pricePath, readPrices } from './price-file.ts';
import type { ScanHistory } from './scan-history.ts';
import { scanTree } from './scan-tree.ts';

/** What browsing begins with: the store may still be looked for while the first frame is shown. */
export interface Browsed {
  readonly spec: string;
  readonly tree: SizeTree;
  readonly opened: Promise<Opened>;
}

/** All that the browser has done for it, by the program's own engine. */
export function browseEffects(
  invocation: Invocation,
  { spec, opened }: Browsed,
  terminal: Pick<BrowserEffects, 'copyText' | 'clearScreen' | 'complete'>,
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
  const places = () => import('./place-entries.ts');
  const { diff } = invocation.flags;
  let older: ReturnType<ScanHistory['older']> | undefined;
  const { take: mayGo, error: refusal } = deleteBudget(...deleteLimits(invocation.flags));
  return {
    scan: async (into, path, preferred, op) =>
      scanTree(await ready(op), { into, path, preferred }, op),
    waiting: () => waitingText(invocation.context),
    ...(diff === undefined ? { kept: async (op: Op) => keptOf(await ready(op), invocation) } : {}),
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
    delete: async (nodes, report, op) => {
      const removal = { ...(await ready(op)), mayGo, refusal };
      await deleteNodes(removal, withoutMounts(removal.tree, nodes, report, disk), report, op);
    },
    async transfer(request, report, op) {
      const { transferNodes } = await import('./transfer-nodes.ts');
      await transferNodes(invocation, await source(op), request, report, op);
    },
    details: async (path, withHashes, op) =>
      entryDetails((await ready(op)).remote, path, withHashes, op),
    head: async (path, op) => fileHead((await ready(op)).remote, path, op),
    expand: (typed) => expandPath(typed, invocation.env),
    shown: (path) => shownText(path),
    rename: async (node, name, report, op) =>
      (await places()).renameNode(invocation, await source(op), [node, name], report, op),
    makeDir: async (dir, name, op) => (await places()).makeDirNode(await ready(op), dir, name, op),
    planUpload: async (from, dir, op) =>
      (await import('./plan-upload.ts')).planUpload(invocation, await source(op), from, dir, op),
    lookAgain: async (dir, name, op) => (await places()).lookAgain(await ready(op), dir, name, op),
    async localFile(node, report, op) {
      const { localFile } = await import('./local-file.ts');
      return localFile(invocation, await source(op), node, report, op);
    },
    async runProgram(kind, path) {
      const { runProgram } = await import('./run-program.ts');
      return runProgram(invocation, kind, path, { spec, disk });
    },
    isLocal: () => disk !== undefined,
    workDir: resolve('.'),
    fileNoun: () => (isStore ? 'object' : 'file'),
    pricePath: () => (isStore ? pricePath(invocation) : undefined),
    async prices() {
      const { remote } = await opened;
      const path = pricePath(invocation);
      return path !== undefined && isStore ? readPrices(path, remote.name) : undefined;
    },
    ...terminal,
  };
}

/** Those without mount points, which may have come since the question; the others fail. */
function withoutMounts(
  tree: SizeTree,
  nodes: readonly NodeId[],
  report: DeleteReport,
  disk: string | undefined,
): readonly NodeId[] {
  if (disk === undefined) return nodes;
  return nodes.filter((node) => {
    if (!tree.isThere(node) || !tree.isDir(node)) return true;
    const path = tree.path(node);
    const [point] = mountPoints(disk, [path]);
    if (point !== undefined) report.failed(node, path, `not deleted: ${point} is a mount point`);
    return point === undefined;
  });
}

async function keptOf(
  { history, tree }: Opened,
  { context }: Invocation,
): Promise<KeptView | undefined> {
  const newest = await history.newest();
  if (newest === undefined) return undefined;
  return {
    age: ago(context.clock.now() - newest.timeMs),
    read: ({ signal }) => history.open(newest, tree, signal),
  };
}

/** What is written to the terminal past the screen: nothing of it moves the cursor. */
export function screenEffects({
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

/** A wait is shown for so long after its end, in milliseconds: the next one may follow. */
const SHOWN_MS = 1000;

/** What the last request that was refused waits for. */
function waitingText({ clock, lastWait }: Invocation['context']): string | undefined {
  const last = lastWait?.();
  if (last === undefined) return undefined;
  const { why, untilMs, what, error } = last;
  const leftMs = untilMs - clock.monotonic();
  if (leftMs < -SHOWN_MS) return undefined;
  const [doing, until] = why === 'throttled' ? ['throttled', ', waiting'] : ['trying again', ' in'];
  const wait = leftMs > 0 ? `${until} ${Math.ceil(leftMs / 1000)} s` : '';
  return harmless(`${doing}${wait}: ${error?.message ?? what}`);
}
