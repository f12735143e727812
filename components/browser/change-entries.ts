import { counted, harmless } from '../../src/core/shown-text.ts';
import {
  type OnConflict,
  type Replaced,
  restraintText,
  type TransferRequest,
  type TransferVerb,
} from '../../src/size-tree/browser-effects.ts';
import { commonParent, pathSegments } from '../../src/size-tree/find-node.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import { plainSize } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { type Line, span, type Tone } from '../../src/terminal/span.ts';
import type { Browser, OtherPlace } from './browser.ts';
import { conflictsPage, replacedNames } from './conflicts-page.tsx';
import { askText } from './field-page.tsx';
import { totalsOf } from './marks.ts';
import { isDry, refusesExcluded, refusesMounts } from './refusals.ts';
import { askYes, type NamedLine, showSentences } from './text-page.tsx';
import { whileWaiting } from './while-waiting.ts';

interface QueuedTransfer extends TransferRequest {
  readonly isDownload?: boolean;
  /** The other side of two, where that is the destination. */
  readonly other?: OtherPlace;
}

const PAST: Readonly<Record<TransferVerb, string>> = { copy: 'copied', move: 'moved' };

/** Asks where entries are to be copied or moved to, and puts that into the queue. */
export function askWhereTo(browser: Browser, verb: TransferVerb, chosen: readonly NodeId[]): void {
  const nodes = transferable(browser, verb, chosen);
  if (nodes.length === 0) return;
  const other = browser.sides?.place();
  if (other === undefined) askForPlace(browser, verb, nodes);
  else askTransfer(browser, { verb, nodes, dest: other.spec, other });
}

function askForPlace(browser: Browser, verb: TransferVerb, nodes: readonly NodeId[]): void {
  const { files, bytes } = totalsOf(browser.tree, nodes, browser.settings.order);
  askText(browser, {
    subject: `${verb} ${counted(nodes.length, 'entry')}: ${counted(files, 'file')}, ${plainSize(bytes)}`,
    does: verb,
    label: `${verb} to:`,
    placeholder: 'remote:path',
    about: `${titleOf(verb)} to this directory: remote:path or a local path.`,
    note: 'Directories keep their names.',
    names: nodes.map((node) => nameOf(browser, node)),
    // Enter may still be held down from the field.
    onText: (dest) => askTransfer(browser, { verb, nodes, dest }, undefined, true),
  });
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
  const isCurrent = (node: NodeId) => tree.isCurrent(node);
  const nodes = chosen.filter((node) => !tree.isSpecial(node) && isCurrent(node));
  if (nodes.length === 0 && !chosen.every(isCurrent)) {
    browser.tell('only current objects are copied', 'warn');
  } else if (nodes.length === 0 && chosen.length > 0) {
    browser.tell(`links and special files are not ${done}`, 'warn');
  }
  return nodes;
}

/**
 * Asks before a transfer, after a look at the destination.
 *
 * @param isTyped the destination was typed just now: a copy that replaces nothing begins without a question
 */
function askTransfer(
  browser: Browser,
  transfer: QueuedTransfer,
  begun = () => {},
  isTyped = false,
): void {
  const { verb, nodes, dest, isDownload = false } = transfer;
  const { refusalAt, conflicts } = browser.effects;
  if (nodes.length === 0) {
    browser.tell('the failed entries no longer exist');
    return;
  }
  const ask = (replaced: readonly Replaced[] | undefined) => {
    const isClear = replaced === undefined || replaced.length === 0;
    if (isTyped && verb === 'copy' && isClear) {
      begun();
      beginTransfer(browser, transfer);
    } else if (isClear) askAllowed(browser, transfer, replaced, begun);
    else {
      const subject = titleOf(isDownload ? 'download' : verb);
      const page = conflictsPage(browser, subject, replaced, (conflicts) => {
        const done = () => {
          browser.back();
          begun();
        };
        askAllowed(browser, { ...transfer, conflicts }, replaced, done);
      });
      browser.open(page);
    }
  };
  if (conflicts === undefined) {
    ask(undefined);
    return;
  }
  whileWaiting(browser, `looking at ${harmless(browser.effects.shown(dest))}`, {
    work: async (op) => {
      const why = isDownload ? undefined : await refusalAt?.(dest, namesOf(browser, nodes), op);
      return why ?? (await conflicts({ verb, nodes, dest }, op));
    },
    onResult: (found) => {
      if (typeof found !== 'string') return ask(found);
      showSentences(browser, titleOf(verb), [
        [span(`  Not ${PAST[verb]}: ${harmless(found)}.`, 'warn')],
        [span('  Open a bucket on the other side first.', 'warn')],
      ]);
    },
  });
}

/** The names that entries have at their destination. */
function namesOf({ tree }: Browser, nodes: readonly NodeId[]) {
  return namesBelow(nodes.map((node) => tree.path(node))).map((name) => ({
    name,
    isDir: nodes.some((node) => tree.isDir(node) || !`/${tree.path(node)}`.endsWith(`/${name}`)),
  }));
}

function titleOf(verb: string): string {
  return verb.charAt(0).toUpperCase() + verb.slice(1);
}

/** @param replaced what is there already; absent: that is not known */
function askAllowed(
  browser: Browser,
  transfer: QueuedTransfer,
  replaced: readonly Replaced[] | undefined,
  begun: () => void,
): void {
  const { nodes, dest, isDownload = false } = transfer;
  const verb = isDownload ? 'download' : transfer.verb;
  const { tree, effects } = browser;
  const { files, bytes } = totalsOf(tree, nodes, browser.settings.order);
  const where = isDownload ? effects.workDir : effects.shown(dest);
  const lost = replaced?.filter(({ path }) => transfer.conflicts?.get(path) === 'replace') ?? [];
  const later = isDownload ? NOT_KEPT : afterReplacing(browser);
  const elsewhere = row('t', 'elsewhere', '', () => {
    browser.back();
    askForPlace(browser, transfer.verb, nodes);
  });
  const size = `${counted(files, 'file')}, ${plainSize(bytes)}`;
  askYes(browser, {
    subject: titleOf(verb),
    lines: [
      [span(`  ${titleOf(verb)} ${counted(nodes.length, 'entry')}: ${size}`, 'plain', true)],
      [span(`  to ${harmless(where)}`, 'plain', true)],
      ...conflictLines(replaced, transfer.conflicts, later),
    ],
    names: [
      ...replacedNames(lost).map((line): NamedLine => ({ ...line, tone: 'warn' })),
      ...nodes.map((node) => nameOf(browser, node)),
    ],
    yes: verb,
    onYes: () => {
      begun();
      beginTransfer(browser, transfer);
    },
    keys: transfer.other === undefined || transfer.conflicts !== undefined ? [] : [elsewhere],
  });
}

function beginTransfer(browser: Browser, transfer: QueuedTransfer): void {
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
      askTransfer(browser, { ...again, nodes: left }, begun);
    },
  });
}

/** The names that entries begin with below the directory that all of them lie in. */
function namesBelow(paths: readonly string[]): readonly string[] {
  const above = pathSegments(commonParent(paths)).length;
  return [...new Set(paths.flatMap((path) => pathSegments(path).slice(above, above + 1)))];
}

const NOT_KEPT = ': undo does not bring them back';

/** What becomes of files that are replaced. */
export function afterReplacing({ kept }: Browser): string {
  return kept?.isFirst === true ? ', and kept in the trash' : NOT_KEPT;
}

/**
 * What becomes of the files that are there already.
 *
 * @param later what becomes of those that are replaced
 */
export function conflictLines(
  replaced: readonly Replaced[] | undefined,
  conflicts: ReadonlyMap<string, OnConflict> | undefined,
  later: string,
): readonly Line[] {
  if (replaced === undefined)
    return [[span(`  Files of the same name that differ there are replaced${later}.`, 'warn')]];
  const answers = [...(conflicts?.values() ?? [])];
  if (answers.length === 0) return [[span('  No file is replaced.', 'good')]];
  const lines = (wanted: OnConflict, one: string, many: string, tone?: Tone) => {
    const count = answers.filter((answer) => answer === wanted).length;
    const text = `  ${counted(count, 'file')} there ${count === 1 ? one : many}.`;
    return count === 0 ? [] : [[span(text, tone)]];
  };
  return [
    ...lines('replace', `is replaced${later}`, `are replaced${later}`, 'warn'),
    ...lines('both', 'gets the new one beside it', 'get the new one beside it'),
    ...lines('leave', 'stays as it is', 'stay as they are'),
  ];
}

/** An entry in a question. */
export function nameOf({ tree }: Browser, node: NodeId): NamedLine {
  const isDir = tree.isDir(node);
  const name = `${harmless(tree.path(node))}${isDir ? '/' : ''}`;
  return { name, tone: isDir ? 'dir' : 'plain' };
}
