import { OWN_NAMES } from '../../src/core/own-names.ts';
import { counted, harmless } from '../../src/core/shown-text.ts';
import {
  type DeleteTo,
  restraintText,
  type TrashWay,
} from '../../src/size-tree/browser-effects.ts';
import { findNode, pathSegments } from '../../src/size-tree/find-node.ts';
import { type NodeId, ROOT } from '../../src/size-tree/node.ts';
import { shownSize } from '../../src/size-tree/sort-order.ts';
import { plainSize } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import { isDry, nameOf, refusesExcluded, refusesMounts } from './change-entries.ts';
import { topmostOf, totalsOf } from './dir-rows.ts';
import { chooseKept, isOld, KEPT } from './entry-pages.ts';
import { askYes, whileWaiting } from './text-page.tsx';

/** Asks whether entries are to be deleted, none of which lies in another, and on `y` puts that into the queue. */
export function askToDelete(browser: Browser, nodes: readonly NodeId[], begun = () => {}) {
  const { restraint } = browser;
  if (nodes.length === 0) return browser.tell('nothing is marked: v marks an entry');
  if (restraint !== undefined && restraint !== 'dry-run')
    return browser.tell(restraintText(restraint, 'deleted'), 'warn');
  if (refusesExcluded(browser, nodes) || refusesMounts(browser, nodes, 'deleted')) return;
  const { tree } = browser;
  if (tree.hasKept && !nodes.every((node) => isOld(tree.keptKind(node)))) {
    chooseKept(browser, nodes, (chosen) => confirmDelete(browser, chosen, begun));
  } else confirmDelete(browser, nodes, begun);
}

interface DeleteChoice {
  readonly key: string;
  /** For the footer. */
  readonly does: string;
  /** What it frees, and whether it can be undone. */
  readonly line: Line;
  readonly to: DeleteTo;
}

/** A copy of more bytes than this into the trash of a bucket is asked for once more: 1 GiB. */
const MOST_COPIED = 2 ** 30;

function confirmDelete(browser: Browser, nodes: readonly NodeId[], begun: () => void) {
  const { kept, tree, restraint } = browser;
  const isKeptHere = kept !== undefined && !tree.hasKept && restraint === undefined;
  if (!isKeptHere || kept.isKnown) return askHow(browser, nodes, begun);
  whileWaiting(browser, 'looking at whether it can be undone', {
    work: (op) => kept.learn(op),
    onResult: () => askHow(browser, nodes, begun),
  });
}

function askHow(browser: Browser, nodes: readonly NodeId[], begun: () => void): void {
  const { restraint, tree, effects, settings } = browser;
  const isDry = restraint === 'dry-run';
  const choices = isDry ? [] : choicesOf(browser, nodes);
  const [first, ...others] = choices;
  const start = (choice: DeleteChoice | undefined) => {
    const to = choice?.to ?? 'nowhere';
    const begin = () => {
      begun();
      beginDelete(browser, nodes, to);
    };
    const { bytes } = totalsOf(tree, nodes, settings.order);
    const isCopied = to === 'trash' && browser.kept?.way === 'copies';
    if (!isCopied || bytes <= MOST_COPIED) return begin();
    const why = '  The bucket keeps no versions: its trash is a copy, and takes as much space.';
    askYes(browser, {
      subject: 'Copy to the trash',
      lines: [
        [span(`  Copy ${plainSize(bytes)} within the bucket, then delete`, 'plain', true)],
        [span(why, 'warn')],
      ],
      yes: 'copy and delete',
      onYes: begin,
    });
  };
  askYes(browser, {
    subject: isDry ? 'list what would be deleted (--dry-run)' : 'Delete',
    lines: [...questionLines(browser, nodes), ...choices.map(({ line }) => line)],
    names: nodes.map((node) => ({
      ...nameOf(browser, node),
      lead: `${plainSize(shownSize(tree, node, settings.order)).padStart(10)}  `,
      note: tree.isDir(node) ? counted(tree.files(node), effects.fileNoun()) : '',
    })),
    yes: isDry ? 'go through it' : (first?.does ?? 'delete'),
    onYes: () => start(first),
    keys: others.map((choice) =>
      row(choice.key, choice.does, '', () => {
        browser.back();
        start(choice);
      }),
    ),
  });
}

/** The ways to delete here, the first one for `y`; one without a trash. */
function choicesOf(browser: Browser, nodes: readonly NodeId[]): readonly DeleteChoice[] {
  const { tree, kept, settings } = browser;
  const { shown } = totalsOf(tree, nodes, settings.order);
  const size = plainSize(shown);
  if (tree.hasKept) {
    const line = [span('  This cannot be undone: no version is kept.', 'warn')];
    return [{ key: 'y', does: 'delete', line, to: 'nowhere' }];
  }
  const way = kept?.way;
  const good = (isFirst: boolean): DeleteChoice => {
    const key = isFirst ? 'y' : '!';
    const text = ` deletes for good: frees ${size}, and cannot be undone.`;
    const line = [span(`  ${key}`, 'key', true), span(text)];
    return { key, does: 'delete', line, to: 'nowhere' };
  };
  const isTrash = (node: NodeId) => pathSegments(tree.path(node)).includes(OWN_NAMES.trash);
  if (kept === undefined || way === undefined || nodes.some(isTrash)) return [good(true)];
  // Whether an entry lies on another disk than the top, or another one begins below it.
  const isElsewhere = (node: NodeId) => {
    for (let at = node; at !== -1 && at !== ROOT; at = tree.parent(at))
      if (tree.beginsDisk(at)) return true;
    return false;
  };
  if (way === 'moves' && nodes.some(isElsewhere)) {
    const line = [span('  It is on another disk than the trash: this cannot be undone.', 'warn')];
    return [{ ...good(true), line }];
  }
  const isFirst = kept.isFirst || way === 'versions' || way === 'bin';
  const inTrash = kept.bytes > 0 ? ` (in trash: ${plainSize(kept.bytes)})` : '';
  const key = isFirst ? 'y' : 't';
  const text = ` ${WAYS[way](size)}${inTrash}; z undoes it.`;
  const line = [span(`  ${key}`, 'key', true), span(text)];
  const trash: DeleteChoice = { key, does: 'trash', line, to: 'trash' };
  // A recycle bin is emptied on its website.
  if (way === 'bin') return [trash];
  return isFirst ? [trash, good(false)] : [good(true), trash];
}

const WAYS: Readonly<Record<TrashWay, (size: string) => string>> = {
  moves: () => 'moves to the trash: frees nothing until that is emptied',
  copies: (size) => `copies ${size} to the trash first: frees nothing until that is emptied`,
  versions: () =>
    'deletes, and the bucket keeps the versions: frees nothing until the trash is emptied',
  bin: () => 'moves to the recycle bin of the drive',
};

function questionLines(browser: Browser, nodes: readonly NodeId[]): readonly Line[] {
  const { tree, restraint, effects } = browser;
  const { order } = browser.settings;
  const { files, shown } = totalsOf(tree, nodes, order);
  const noun = effects.fileNoun();
  const dirs = nodes.filter((node) => tree.isDir(node)).length;
  const kinds = new Set(nodes.filter((node) => !tree.isDir(node)).map((at) => tree.keptKind(at)));
  const [only] = kinds;
  const keptNoun = kinds.size !== 1 || only === undefined ? 'entry' : KEPT[only].noun;
  const single = tree.hasKept ? keptNoun : noun;
  const what = [
    ...(nodes.length - dirs > 0 ? [counted(nodes.length - dirs, single)] : []),
    ...(dirs > 0 ? [counted(dirs, 'directory')] : []),
  ].join(' and ');
  const isWhole = nodes.every(
    (node) => !tree.isDir(node) || (tree.failed(node) === 0 && tree.isWhole(node)),
  );
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
  if (restraint === 'dry-run') head.push([span('  --dry-run: nothing is deleted.', 'good')]);
  return head;
}

function beginDelete(browser: Browser, nodes: readonly NodeId[], to: DeleteTo): void {
  const { tree, tasks, effects } = browser;
  const paths = nodes.map((node) => tree.path(node));
  const { order } = browser.settings;
  const { files, shown: bytes } = totalsOf(tree, nodes, order);
  const hasFiles = files > 0;
  const size = `${counted(files, effects.fileNoun())}, ${plainSize(bytes)}`;
  if (isDry(browser, `${size} would be deleted`)) return;
  const [only] = nodes;
  const refused = new Map<string, NodeId>();
  const subject =
    nodes.length === 1 && only !== undefined ? tree.path(only) : counted(nodes.length, 'entry');
  tasks.add({
    verb: to === 'trash' ? 'trash' : 'delete',
    subject: harmless(subject),
    expected: { files: hasFiles ? files : nodes.length, bytes },
    noun: hasFiles ? effects.fileNoun() : 'empty directory',
    async run(task, op) {
      const remove = (gone: readonly NodeId[]) => {
        tree.remove(gone);
        browser.marks.prune();
        browser.changed();
      };
      const report = {
        gone(gone: readonly NodeId[]) {
          const done = totalsOf(tree, gone, order);
          const count = hasFiles ? done.files : gone.length;
          remove(gone);
          task.done(count);
          task.bytes(done.shown);
        },
        vanished(missing: readonly NodeId[]) {
          remove(missing);
          task.vanished(missing.length);
        },
        unknown: (left: readonly NodeId[]) => task.unknown(left.length),
        failed(node: NodeId, path: string, message: string) {
          refused.set(path, node);
          task.failed(path, message);
        },
        noted: (run: string) => task.noted(run),
      };
      try {
        await effects.delete(nodes, to, report, op);
      } finally {
        if (to === 'trash') browser.kept?.read();
      }
    },
    undone: (op) => browser.seeAgain(paths, op),
    retry(failures, begun) {
      const found = failures.map(({ path }) => {
        const node = refused.get(path);
        // The path may also be that of a directory beside the object, or of another version.
        return node !== undefined && tree.isThere(node) && tree.path(node) === path
          ? node
          : findNode(tree, ROOT, path);
      });
      const again = found.filter((node) => node !== undefined && node !== ROOT) as NodeId[];
      if (again.length > 0) askToDelete(browser, topmostOf(tree, new Set(again)), begun);
      else browser.tell('the failed entries no longer exist');
    },
  });
}
