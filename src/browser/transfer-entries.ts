import { harmless } from '../core/harmless.ts';
import { counted } from '../kit/counted.ts';
import { row } from '../screen/key-table.ts';
import { type Span, span } from '../screen/span.ts';
import type { NodeId } from '../size-tree/node.ts';
import type { Browser } from './browser.ts';
import { restraintText, type TransferVerb } from './browser-effects.ts';
import { confirmPage } from './confirm-page.ts';
import { refusesExcluded, refusesMounts } from './excluded-entries.ts';
import { fieldPage } from './field-page.ts';
import { plainSize } from './figures.ts';
import { totalsOf } from './marks.ts';
import { beginTransfer, PAST, type QueuedTransfer } from './transfer-task.ts';

/** Asks where entries are to be copied or moved to, and puts that into the queue. */
export function askWhereTo(browser: Browser, verb: TransferVerb, chosen: readonly NodeId[]): void {
  const nodes = transferable(browser, verb, chosen);
  if (nodes.length === 0) return;
  const other = browser.beside?.place();
  if (other === undefined) askForPlace(browser, verb, nodes);
  else askTransfer(browser, { verb, nodes, dest: other.spec, other });
}

function askForPlace(browser: Browser, verb: TransferVerb, nodes: readonly NodeId[]): void {
  const { files, bytes } = totalsOf(browser.tree, nodes, browser.settings.order);
  browser.open(
    fieldPage({
      subject: `${verb} ${counted(nodes.length, 'entry')}: ${counted(files, 'file')}, ${plainSize(bytes)}`,
      does: verb,
      label: `${verb} to:`,
      placeholder: 'remote:path',
      about: `${verb} to this directory: remote:path or a local path.`,
      note: 'Directories keep their names.',
      names: nodes.map((node) => [nameSpan(browser, node)]),
      read: (typed) => browser.effects.expand(typed),
      complete: browser.effects.complete,
      changed: () => browser.changed(),
      onText: (dest) => {
        // Enter may still be held down from the field.
        if (verb === 'move') askTransfer(browser, { verb, nodes, dest });
        else beginTransfer(browser, { verb, nodes, dest }, askTransfer);
      },
      back: () => browser.back(),
    }),
  );
}

/** Asks whether to download entries to the working directory. */
export function download(browser: Browser, chosen: readonly NodeId[]): void {
  const nodes = transferable(browser, 'copy', chosen);
  if (nodes.length === 0) return;
  askTransfer(browser, { verb: 'copy', nodes, dest: '.', isDownload: true });
}

/** Those of the chosen entries that can be copied or moved; the status line says why none can. */
function transferable(
  browser: Browser,
  verb: TransferVerb,
  chosen: readonly NodeId[],
): readonly NodeId[] {
  const { restraint, tree } = browser;
  const done = PAST[verb];
  const isOld = restraint === 'imported' || restraint === 'kept';
  if (isOld || (restraint === 'read-only' && verb === 'move')) {
    if (chosen.length > 0) browser.tell(restraintText(restraint, done), 'warn');
    return [];
  }
  if (refusesExcluded(browser, chosen)) return [];
  if (verb === 'move' && refusesMounts(browser, chosen, done)) return [];
  if (tree.hasKept && verb === 'move') {
    browser.tell('not moved: old versions would stay; browse without --all to move', 'warn');
    return [];
  }
  const isCurrent = (node: NodeId) => (tree.keptKind(node) ?? 'current') === 'current';
  const nodes = chosen.filter((node) => !tree.isSpecial(node) && isCurrent(node));
  if (nodes.length === 0 && !chosen.every(isCurrent)) {
    browser.tell('only current objects are copied', 'warn');
  } else if (nodes.length === 0 && chosen.length > 0) {
    browser.tell(`links and special files are not ${done}`, 'warn');
  }
  return nodes;
}

/** Asks before a transfer whose destination was not typed just now, or that deletes at its source. */
function askTransfer(browser: Browser, transfer: QueuedTransfer, begun = () => {}): void {
  const { nodes, dest, isDownload = false } = transfer;
  const verb = isDownload ? 'download' : transfer.verb;
  const { tree, effects } = browser;
  if (nodes.length === 0) {
    browser.tell('the failed entries no longer exist');
    return;
  }
  const { files, bytes } = totalsOf(tree, nodes, browser.settings.order);
  const where = isDownload ? effects.workDir : effects.shown(dest);
  const replaced = '  Files of the same name that differ there are replaced.';
  browser.open(
    confirmPage({
      subject: `${verb}?`,
      lines: [
        [span(`  ${verb} ${counted(nodes.length, 'entry')}: `, 'plain', true)].concat(
          span(`${counted(files, 'file')}, ${plainSize(bytes)}`, 'plain', true),
        ),
        [span(`  to ${harmless(where)}`, 'plain', true)],
        [span(replaced, 'warn')],
        [span(' ')],
        ...nodes.slice(0, MOST_NAMES).map((node) => [nameSpan(browser, node)]),
      ],
      yes: verb,
      onYes: () => {
        begun();
        beginTransfer(browser, transfer, askTransfer);
      },
      keys:
        transfer.other === undefined
          ? []
          : [
              row('t', 'elsewhere', '', () => {
                browser.back();
                askForPlace(browser, transfer.verb, nodes);
              }),
            ],
      back: () => browser.back(),
    }),
  );
}

/** Names that a question shows. */
const MOST_NAMES = 200;

function nameSpan({ tree }: Browser, node: NodeId): Span {
  const isDir = tree.isDir(node);
  return span(`    ${harmless(tree.path(node))}${isDir ? '/' : ''}`, isDir ? 'dir' : 'plain');
}
