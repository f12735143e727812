import { counted, figure } from '../../src/core/counted.ts';
import type { KeptKind } from '../../src/core/entry-details.ts';
import { harmless } from '../../src/core/harmless.ts';
import { restraintText, type TransferVerb } from '../../src/size-tree/browser-effects.ts';
import { findNode } from '../../src/size-tree/find-node.ts';
import { type NodeId, ROOT } from '../../src/size-tree/node.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { shownSize } from '../../src/size-tree/sort-order.ts';
import { plainSize } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { type Line, type Span, span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import { chooseKept, isOld } from './entry-pages.ts';
import { refusesExcluded, refusesMounts } from './excluded-entries.ts';
import { fieldPage } from './field-page.tsx';
import { totalsOf } from './marks.ts';
import { confirmPage } from './text-page.tsx';
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

/** Names that the question shows. */
const FIRST_NAMES = 200;

/** Asks whether entries are to be deleted, none of which lies in another, and on `y` puts that into the queue. */
export function askToDelete(browser: Browser, nodes: readonly NodeId[], begun = () => {}): void {
  const { restraint } = browser;
  if (nodes.length === 0) {
    browser.tell('nothing is marked: v marks an entry');
    return;
  }
  if (restraint !== undefined && restraint !== 'dry-run') {
    browser.tell(restraintText(restraint, 'deleted'), 'warn');
    return;
  }
  if (refusesExcluded(browser, nodes) || refusesMounts(browser, nodes, 'deleted')) return;
  const { tree } = browser;
  if (tree.hasKept && !nodes.every((node) => isOld(tree.keptKind(node)))) {
    chooseKept(browser, nodes, (chosen) => confirmDelete(browser, chosen, begun));
  } else confirmDelete(browser, nodes, begun);
}

function confirmDelete(browser: Browser, nodes: readonly NodeId[], begun: () => void): void {
  const { restraint } = browser;
  browser.open(
    confirmPage({
      subject: restraint === 'dry-run' ? 'list what would be deleted (--dry-run)' : 'delete?',
      lines: questionLines(browser, nodes),
      yes: restraint === 'dry-run' ? 'go through it' : 'delete',
      onYes: () => {
        begun();
        beginDelete(browser, nodes);
      },
      back: () => browser.back(),
    }),
  );
}

function questionLines(browser: Browser, nodes: readonly NodeId[]): readonly Line[] {
  const { tree, restraint, effects } = browser;
  const { order } = browser.settings;
  const { files, shown } = totalsOf(tree, nodes, order);
  const noun = effects.fileNoun();
  const dirs = nodes.filter((node) => tree.isDir(node)).length;
  const single = tree.hasKept ? keptNoun(tree, nodes) : noun;
  const what = [
    ...(nodes.length - dirs > 0 ? [counted(nodes.length - dirs, single)] : []),
    ...(dirs > 0 ? [counted(dirs, 'directory')] : []),
  ].join(' and ');
  const isWhole = nodes.every((node) => isScanned(tree, node));
  const least = isWhole ? '' : 'at least ';
  const inside = dirs > 0 ? `${counted(files, tree.hasKept ? 'entry' : noun)}, ` : '';
  const head: Line[] = [
    [
      span('  Delete ', 'plain', true),
      span(what, 'bad', true),
      span(`: ${least}${inside}${plainSize(shown)}`, 'plain', true),
    ],
  ];
  if (!isWhole) {
    head.push([span('  Not completely scanned: anything else in it is deleted too.', 'warn')]);
  }
  if (tree.hasKept) head.push([span('  This cannot be undone: no version is kept.', 'warn')]);
  if (restraint === 'dry-run') head.push([span('  --dry-run: nothing is deleted.', 'good')]);
  head.push([span(' ')]);
  const names = nodes.slice(0, FIRST_NAMES).map((node): Line => {
    const path = `${harmless(tree.path(node))}${tree.isDir(node) ? '/' : ''}`;
    const count = tree.isDir(node) ? `  ${counted(tree.files(node), noun)}` : '';
    return [
      span(`  ${plainSize(shownSize(tree, node, order)).padStart(10)}  `),
      span(path, tree.isDir(node) ? 'dir' : 'plain'),
      span(count, 'dim'),
    ];
  });
  const more = nodes.length - names.length;
  return [...head, ...names, ...(more > 0 ? [[span(`  and ${figure(more)} more`, 'dim')]] : [])];
}

function keptNoun(tree: SizeTree, nodes: readonly NodeId[]): string {
  const kinds = new Set(nodes.filter((node) => !tree.isDir(node)).map((at) => tree.keptKind(at)));
  const [only] = kinds;
  if (kinds.size !== 1 || only === undefined) return 'entry';
  return KEPT_NOUNS[only];
}

const KEPT_NOUNS: Readonly<Record<KeptKind, string>> = {
  current: 'current object',
  old: 'old version',
  marker: 'delete marker',
  'old-marker': 'delete marker',
  upload: 'unfinished upload',
};

function isScanned(tree: SizeTree, top: NodeId): boolean {
  return !tree.isDir(top) || (tree.failed(top) === 0 && tree.isWhole(top));
}

/** Puts a deletion into the queue. */
function beginDelete(browser: Browser, nodes: readonly NodeId[]): void {
  const { tree, tasks, effects, restraint } = browser;
  const { order } = browser.settings;
  const { files, shown: bytes } = totalsOf(tree, nodes, order);
  if (restraint === 'dry-run') {
    const size = `${counted(files, effects.fileNoun())}, ${plainSize(bytes)}`;
    browser.tell(`--dry-run: ${size} would be deleted`, 'good');
    return;
  }
  const [only] = nodes;
  const refused = new Map<string, NodeId>();
  const subject =
    nodes.length === 1 && only !== undefined ? tree.path(only) : counted(nodes.length, 'entry');
  tasks.add({
    verb: 'delete',
    subject: harmless(subject),
    expected: { files, bytes },
    noun: effects.fileNoun(),
    async run(task, op) {
      const remove = (gone: readonly NodeId[]) => {
        tree.remove(gone);
        browser.marks.prune();
        browser.changed();
      };
      const report = {
        gone(gone: readonly NodeId[]) {
          const done = totalsOf(tree, gone, order);
          remove(gone);
          task.done(done.files, done.shown);
        },
        vanished(missing: readonly NodeId[]) {
          remove(missing);
          task.vanished(missing.length);
        },
        unknown: (left: readonly NodeId[]) => task.unknown(left.length),
        failed(node: NodeId, path: string, message: string) {
          refused.set(path, node);
          task.fail(path, message);
        },
      };
      await effects.delete(nodes, report, op);
    },
    retry(failures, begun) {
      const found = failures.map(({ path }) => {
        const node = refused.get(path);
        // The path may also be that of a directory beside the object, or of another version.
        return node !== undefined && tree.isThere(node) && tree.path(node) === path
          ? node
          : findNode(tree, ROOT, path);
      });
      const again = found.filter((node) => node !== undefined && node !== ROOT) as NodeId[];
      if (again.length > 0) askToDelete(browser, topmostOf(tree, again), begun);
      else browser.tell('the failed entries no longer exist');
    },
  });
}

function topmostOf(tree: SizeTree, nodes: readonly NodeId[]): readonly NodeId[] {
  const all = new Set(nodes);
  return [...all].filter((node) => {
    for (let at = tree.parent(node); at !== -1; at = tree.parent(at)) if (all.has(at)) return false;
    return true;
  });
}
