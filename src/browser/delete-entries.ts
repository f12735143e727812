import type { KeptKind } from '../core/entry-details.ts';
import { harmless } from '../core/harmless.ts';
import { counted, figure } from '../kit/counted.ts';
import { type Line, span } from '../screen/span.ts';
import { findNode } from '../size-tree/find-node.ts';
import { type NodeId, ROOT } from '../size-tree/node.ts';
import type { SizeTree } from '../size-tree/size-tree.ts';
import { shownSize } from '../size-tree/sort-order.ts';
import type { Browser } from './browser.ts';
import { restraintText } from './browser-effects.ts';
import { confirmPage } from './confirm-page.ts';
import { chooseKept, isOld } from './entry-pages.ts';
import { refusesExcluded, refusesMounts } from './excluded-entries.ts';
import { plainSize } from './figures.ts';
import { totalsOf } from './marks.ts';

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
