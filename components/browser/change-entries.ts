import { counted, harmless } from '../../src/core/shown-text.ts';
import {
  type OnConflict,
  type Replaced,
  restraintText,
  type ShownFile,
  type TransferRequest,
  type TransferVerb,
} from '../../src/size-tree/browser-effects.ts';
import { commonParent, findNode, pathSegments } from '../../src/size-tree/find-node.ts';
import { isNodeWithin, type NodeId, ROOT } from '../../src/size-tree/node.ts';
import { cutMiddle, fill } from '../../src/terminal/cells.ts';
import { plainSize, sizeText, timeText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { type Line, span, type Tone } from '../../src/terminal/span.ts';
import type { Browser, OtherPlace } from './browser.ts';
import { totalsOf } from './dir-rows.ts';
import { type BrowserPage, HELPS, RowList } from './page.ts';
import { type RowLook, rowsPage } from './page-frame.tsx';
import { askText, askYes, type NamedLine, showSentences, whileWaiting } from './text-page.tsx';

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
 * @param isTyped the destination was typed just now: a copy that replaces nothing begins without a question
 */
function askTransfer(
  browser: Browser,
  transfer: QueuedTransfer,
  begun = () => {},
  isTyped = false,
) {
  const { verb, nodes, dest, isDownload = false } = transfer;
  const { tree, effects } = browser;
  const { refusalAt, conflicts } = effects;
  if (nodes.length === 0) return browser.tell('the failed entries no longer exist');
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
  if (conflicts === undefined) return ask(undefined);
  whileWaiting(browser, `looking at ${harmless(effects.shown(dest))}`, {
    work: async (op) => {
      const names = () => {
        const paths = nodes.map((node) => tree.path(node));
        return namesBelow(paths).map((name) => ({
          name,
          isDir: nodes.some(
            (node, at) => tree.isDir(node) || !`/${paths[at]}`.endsWith(`/${name}`),
          ),
        }));
      };
      const why = isDownload ? undefined : await refusalAt?.(dest, names(), op);
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

const titleOf = (verb: string): string => verb.charAt(0).toUpperCase() + verb.slice(1);

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

/** What becomes of the files that are there already. @param later what becomes of those that are replaced */
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

/** An answer: `newer` replaces only what is older. */
type Answer = OnConflict | 'newer';

const ANSWERS: Readonly<Record<Answer, readonly [key: string, label: string, about: string]>> = {
  replace: ['r', 'replace', 'replace the file there'],
  newer: ['n', 'newer', 'replace it only if the new one is newer'],
  both: ['b', 'both', 'keep both: the new one comes beside it as "name (2)"'],
  leave: ['s', 'skip', 'leave it as it is'],
};

/** Asks what becomes of each file that is there already; `onDone` gets the answers. */
export function conflictsPage(
  browser: Browser,
  subject: string,
  conflicts: readonly Replaced[],
  onDone: (answers: ReadonlyMap<string, OnConflict>) => void,
): BrowserPage {
  const list = new RowList(() => conflicts);
  const answers: Answer[] = conflicts.map(() => 'replace');
  const resultAt = (at: number): OnConflict => {
    const answer = answers[at] ?? 'replace';
    if (answer !== 'newer') return answer;
    return ageOf(conflicts[at]) === 'newer' ? 'replace' : 'leave';
  };
  const answer = (name: Answer) => {
    const [key, label, about] = ANSWERS[name];
    return row(key, label, about, () => {
      answers[list.cursor] = name;
    });
  };
  const done = () => onDone(new Map(conflicts.map(({ path }, at) => [path, resultAt(at)])));
  return rowsPage({
    list,
    keys: () => [
      row('Enter', 'continue', 'continue: the files are shown before anything starts', done),
      ...(['replace', 'newer', 'both', 'leave'] as const).map(answer),
      row('a', 'all', 'the answer of this file for all of them', () =>
        answers.fill(answers[list.cursor] ?? 'replace'),
      ),
      list.rule(),
      row('Esc', 'cancel', 'cancel; also ← and q', () => browser.back(), { also: '← q' }),
      ...HELPS,
    ],
    view: () => ({
      browser,
      subject,
      aside: `${counted(conflicts.length, 'file')} there`,
      status: list.current && [
        span(`there ${factsText(list.current.there, list.current.here)}`),
        span(`  new ${factsText(list.current.here, list.current.there)}`, 'accent'),
      ],
      lineOf: (conflict, look) => conflictLine(conflict, resultAt(look.at), look),
    }),
  });
}

const ANSWER_COLUMNS = 9;

function conflictLine(conflict: Replaced, result: OnConflict, { columns, glyphs }: RowLook): Line {
  const { path, here, there } = conflict;
  const label = result === 'both' ? 'keep both' : ANSWERS[result][1];
  const tone = ({ replace: 'warn', both: 'good', leave: 'dim' } as const)[result];
  const answer = span(fill(label, ANSWER_COLUMNS, glyphs.ellipsis), tone);
  const sizes = `${sizeText(there.bytes).padStart(10)} ${glyphs.arrow} ${sizeText(here.bytes).padStart(10)}`;
  const age = ageOf(conflict);
  // A narrow window has no sizes.
  const facts = columns < 60 ? age.padEnd(9) : `${sizes}  ${age.padEnd(9)}`;
  const room = columns - ANSWER_COLUMNS - facts.length - 6;
  return [
    answer,
    span(`  ${facts}`, 'dim'),
    span(`  ${cutMiddle(harmless(path), Math.max(4, room), glyphs.ellipsis)}`),
  ];
}

/** How old the new file is beside the one that is there. */
function ageOf(conflict: Replaced | undefined): 'newer' | 'older' | 'same time' | '' {
  const ms = (conflict?.here.timeMs ?? Number.NaN) - (conflict?.there.timeMs ?? Number.NaN);
  if (Number.isNaN(ms)) return '';
  return ms > 0 ? 'newer' : ms < 0 ? 'older' : 'same time';
}

/** Files that are replaced, in a question. */
export function replacedNames(replaced: readonly Replaced[]): readonly NamedLine[] {
  return replaced.map(({ path, here, there }) => ({
    name: harmless(path),
    more: [`old ${factsText(there, here)}`, `new ${factsText(here, there)}`],
  }));
}

/** `12.3 MiB, 2026-01-31 12:00`; in bytes where the size of the `other` file would read the same. */
export function factsText({ bytes, timeMs }: ShownFile, other?: ShownFile): string {
  const isAlike =
    other !== undefined && other.bytes !== bytes && plainSize(other.bytes) === plainSize(bytes);
  const size = bytes < 10_000 || isAlike ? counted(bytes, 'byte') : plainSize(bytes);
  return Number.isNaN(timeMs) ? size : `${size}, ${timeText(timeMs)}`;
}

/** Whether nothing is changed, because of `--dry-run`. Says what would be. */
export function isDry(browser: Browser, would: string): boolean {
  if (browser.restraint !== 'dry-run') return false;
  browser.tell(`--dry-run: ${would}`, 'good');
  return true;
}

/** Whether excluded entries lie below these: nothing is done to what the shown sums do not have. Says so. */
export function refusesExcluded(browser: Browser, nodes: readonly NodeId[]): boolean {
  const { tree } = browser;
  const held = [...tree.excluded].filter((one) =>
    nodes.some((node) => node !== one && isNodeWithin(tree, node, one)),
  );
  if (held.length === 0) return false;
  const what = `${counted(held.length, 'excluded entry')} below`;
  browser.tell(`${what}: the sizes shown are not all of it; I counts all again`, 'warn');
  return true;
}

/**
 * Whether file systems are mounted at these entries or below: they would be emptied, and their directories stay. Says
 * so, and which.
 */
export function refusesMounts(browser: Browser, nodes: readonly NodeId[], done: string): boolean {
  const { tree, effects } = browser;
  const dirs = nodes.filter((node) => tree.isDir(node)).map((node) => tree.path(node));
  const points = dirs.length === 0 ? [] : (effects.mountPoints?.(dirs) ?? []);
  const [first] = points;
  if (first === undefined) return false;
  const files = points.reduce((sum, point) => {
    const node = findNode(tree, ROOT, point);
    return sum + (node === undefined ? 0 : tree.files(node));
  }, 0);
  const held = counted(files, effects.fileNoun());
  const why =
    points.length === 1
      ? `${harmless(first)} is a mount point with ${held}: unmount it first`
      : `${harmless(first)} and ${counted(points.length - 1, 'other mount point')} with ${held}: unmount them first`;
  browser.tell(`not ${done}: ${why}`, 'warn');
  return true;
}
