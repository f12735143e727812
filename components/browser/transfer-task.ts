import { counted } from '../../src/core/counted.ts';
import { harmless } from '../../src/core/harmless.ts';
import type { TransferRequest, TransferVerb } from '../../src/size-tree/browser-effects.ts';
import { commonParent, pathSegments } from '../../src/size-tree/find-node.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import { plainSize } from '../../src/terminal/figures.ts';
import type { Browser, OtherPlace } from './browser.ts';
import { isDry } from './excluded-entries.ts';
import { totalsOf } from './marks.ts';

/** What is copied or moved, and where to. */
export interface QueuedTransfer extends TransferRequest {
  readonly isDownload?: boolean;
  /** The other side of two, where that is the destination. */
  readonly other?: OtherPlace;
}

/** What was done. */
export const PAST: Readonly<Record<TransferVerb, string>> = { copy: 'copied', move: 'moved' };

/** Puts a transfer into the queue; `ask` asks whether to try again. */
export function beginTransfer(
  browser: Browser,
  transfer: QueuedTransfer,
  ask: (browser: Browser, transfer: QueuedTransfer, begun: () => void) => void,
): void {
  const { tree, tasks, effects } = browser;
  const { verb, nodes, dest, isDownload = false } = transfer;
  const where = isDownload ? 'the working directory' : effects.shown(dest);
  const { files, bytes } = totalsOf(tree, nodes, browser.settings.order);
  const size = `${counted(files, 'file')}, ${plainSize(bytes)}`;
  if (isDry(browser, `${size} would be ${PAST[verb]} to ${harmless(where)}`)) return;
  const [only] = nodes;
  const paths = nodes.map((node) => tree.path(node));
  const what =
    nodes.length === 1 && only !== undefined ? tree.path(only) : counted(nodes.length, 'entry');
  tasks.add({
    verb: isDownload ? 'download' : verb,
    subject: `${harmless(what)} to ${harmless(where)}`,
    async undone(op) {
      if (verb === 'move') await browser.seeAgain(paths, op);
      await transfer.other?.arrived(namesBelow(paths), op);
    },
    async run(report, op) {
      const there = nodes.filter((node) => tree.isThere(node));
      const moved = (gone: readonly NodeId[]) => {
        tree.remove(gone);
        browser.marks.prune();
        browser.changed();
      };
      const names = namesBelow(there.map((node) => tree.path(node)));
      try {
        await effects.transfer({ ...transfer, nodes: there }, { ...report, moved }, op);
      } finally {
        if (!op.signal.aborted) await transfer.other?.arrived(names, op);
      }
    },
    retry: (_, begun) => {
      const left = nodes.filter((node) => tree.isThere(node));
      // What is there now is asked about again.
      const { conflicts: before, ...again } = transfer;
      ask(browser, { ...again, nodes: left }, begun);
    },
  });
}

/** The names that entries begin with below the directory that all of them lie in. */
export function namesBelow(paths: readonly string[]): readonly string[] {
  const above = pathSegments(commonParent(paths)).length;
  return [...new Set(paths.flatMap((path) => pathSegments(path).slice(above, above + 1)))];
}
