import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { joinPath, leafName } from '../../src/core/remote-path.ts';
import { counted, harmless } from '../../src/core/shown-text.ts';
import {
  type Edited,
  type LocalFile,
  NO_REPORT,
  type OnConflict,
  restraintText,
  type TransferReport,
  type UploadPlan,
} from '../../src/size-tree/browser-effects.ts';
import { findNode } from '../../src/size-tree/find-node.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import { plainSize } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import {
  afterReplacing,
  conflictLines,
  conflictsPage,
  factsText,
  isDry,
  nameOf,
  refusesExcluded,
  replacedNames,
} from './change-entries.ts';
import { joinTitle } from './entry-pages.ts';
import { askText, askYes, textPage, whileWaiting } from './text-page.tsx';

/** Asks what is to be uploaded to the directory of the list; then, with sizes, whether it really is. */
export function askUpload(browser: Browser): void {
  if (!mayChangeHere(browser, 'uploaded')) return;
  const { tree, rows, effects, kept, title } = browser;
  const { dir } = rows;
  const where = harmless(joinTitle(title, tree.path(dir)));
  askText(browser, {
    subject: 'upload',
    does: 'look',
    label: 'upload:',
    placeholder: '~/file or directory',
    about: `Upload a file or directory to ${where}.`,
    note: 'Sizes, and files that it would replace, are shown before it starts.',
    onText: (from) =>
      whileWaiting(browser, `looking at ${harmless(from)}`, {
        async work(op) {
          await kept?.learn(op).catch(() => undefined);
          return effects.planUpload(from, dir, op);
        },
        onResult(plan) {
          const { name, files, replaced } = plan;
          if (files === 0) {
            browser.tell(`nothing to upload: ${where} has all of ${harmless(name)}`, 'good');
          } else if (replaced.length === 0) askAnswered(browser, dir, from, plan, new Map());
          else {
            const page = conflictsPage(browser, 'Upload', replaced, (answers) =>
              askAnswered(browser, dir, from, plan, answers, () => browser.back()),
            );
            browser.open(page);
          }
        },
      }),
  });
}

/** Asks whether to begin an upload, when it was answered what becomes of the files that are there already. */
function askAnswered(
  browser: Browser,
  dir: NodeId,
  from: string,
  plan: UploadPlan,
  answers: ReadonlyMap<string, OnConflict>,
  begun = () => {},
): void {
  const { tree, tasks, title } = browser;
  const where = harmless(joinTitle(title, tree.path(dir)));
  const left = plan.replaced.filter(({ path }) => answers.get(path) === 'leave');
  const bytes = left.reduce((sum, { here }) => sum - here.bytes, plan.bytes);
  const size = `${counted(plan.files - left.length, 'file')}, ${plainSize(bytes)}`;
  const later =
    browser.kept?.way === 'versions'
      ? ', and the bucket keeps the versions'
      : afterReplacing(browser);
  askYes(browser, {
    subject: 'Upload',
    lines: [
      [span(`  Upload ${size}`, 'plain', true)],
      [span(`  from ${harmless(from)}`, 'plain', true)],
      [span(`  to ${where}`, 'plain', true)],
      ...conflictLines(plan.replaced, answers, later),
    ],
    names: replacedNames(plan.replaced.filter(({ path }) => answers.get(path) === 'replace')),
    yes: 'upload',
    onYes() {
      begun();
      if (isDry(browser, `${size} would be uploaded to ${where}`)) return;
      let names: readonly string[] = [plan.name];
      const paths = () => names.map((name) => joinPath(tree.path(dir), name));
      tasks.add({
        verb: 'upload',
        subject: `${harmless(from)} to ${where}`,
        async run(report, op) {
          try {
            names = await plan.run(answers, report, op);
          } finally {
            goTo(browser, dir, plan.name);
          }
        },
        undone: (op) => browser.seeAgain(paths(), op),
      });
    },
  });
}

/** Whether entries can be made and changed here now; the status line says why not. */
function mayChangeHere(browser: Browser, done: string): boolean {
  const { restraint, tree, scan } = browser;
  if (restraint !== undefined && restraint !== 'dry-run') {
    browser.tell(restraintText(restraint, done), 'warn');
  } else if (tree.hasKept) {
    browser.tell(`nothing is ${done} among old versions: browse without --all`, 'warn');
  } else if (scan.state === 'running' || scan.state === 'reading') {
    browser.tell(`nothing is ${done} while a scan runs; x stops it`, 'warn');
  } else return true;
  return false;
}

/** Asks for another name of an entry, and puts the renaming into the queue. */
export function askRename(browser: Browser, node: NodeId) {
  if (!mayChangeHere(browser, 'renamed')) return;
  const { tree, tasks, effects } = browser;
  if (tree.isSpecial(node)) return browser.tell('links and special files are not renamed', 'warn');
  if (refusesExcluded(browser, [node])) return;
  const [name, dir] = [tree.name(node), tree.parent(node)];
  const size = `${counted(tree.files(node), effects.fileNoun())}, ${plainSize(tree.size(node))}`;
  askText(browser, {
    subject: `rename: ${size}`,
    does: 'rename',
    label: 'new name:',
    initial: name,
    about: 'Rename this entry in its directory.',
    note: effects.fileNoun() === 'object' ? 'Each object is copied, then deleted.' : '',
    names: [nameOf(browser, node)],
    read: (typed) => newName(browser, dir, typed),
    onText(to) {
      const paths = [tree.path(node), joinPath(tree.path(dir), to)];
      const what = `${harmless(tree.path(node))} to ${harmless(to)}`;
      if (isDry(browser, `${what} would be renamed`)) return;
      tasks.add({
        verb: 'rename',
        subject: what,
        async run(report, op) {
          try {
            await effects.rename(node, to, report, op);
          } finally {
            browser.marks.prune();
            browser.rows.refresh(true);
          }
        },
        undone: (op) => browser.seeAgain(paths, op),
      });
    },
  });
}

/** Asks for the name of a new directory, and creates it where the list is. */
export function askMakeDir(browser: Browser): void {
  if (!mayChangeHere(browser, 'created')) return;
  const { tree, rows, effects, title } = browser;
  const { dir } = rows;
  const where = harmless(joinTitle(title, tree.path(dir)));
  askText(browser, {
    subject: 'new directory',
    does: 'create',
    label: 'name:',
    placeholder: 'name',
    about: `Create a directory in ${where}.`,
    read: (typed) => newName(browser, dir, typed),
    onText(name) {
      const path = harmless(joinTitle(title, joinPath(tree.path(dir), name)));
      if (isDry(browser, `${path} would be created`)) return;
      effects.makeDir(dir, name, { signal: browser.closing }).then(
        () => {
          goTo(browser, dir, name);
          browser.tell(`created: ${path}`, 'good');
        },
        (thrown) => browser.tell(harmless(toSyncerError(thrown).message), 'bad'),
      );
    },
  });
}

/** Moves the cursor to an entry that is new, if its directory is still shown. */
function goTo({ rows, tree }: Browser, dir: NodeId, name: string): void {
  rows.refresh(true);
  const { filter } = rows;
  const node = rows.dir === dir ? findNode(tree, dir, name) : undefined;
  if (node === undefined) return;
  rows.open(dir, node);
  if (filter !== '') rows.setFilter(filter);
}

/** A name that no entry of the directory has. Throws `usage` for an invalid name. */
function newName({ tree }: Browser, dir: NodeId, typed: string): string {
  if (typed === '.' || typed === '..')
    throw new SyncerError('usage', `"${typed}" is not a valid name`);
  if (/[/\0]/.test(typed)) throw new SyncerError('usage', 'a name cannot contain "/"');
  if (findNode(tree, dir, typed) !== undefined) {
    throw new SyncerError('usage', `"${typed}" exists already; nothing is replaced`);
  }
  return typed;
}

/** Larger files are not downloaded only to be looked at without a question, in bytes. */
const ASKS_FROM = 16 * 1024 * 1024;

/** Opens a file in the user's pager or editor. */
export function openEntry(browser: Browser, node: NodeId, kind: 'pager' | 'editor') {
  const { tree, effects } = browser;
  if (kind === 'editor' && !mayChangeHere(browser, 'edited')) return;
  if (kind === 'editor' && browser.restraint === 'dry-run')
    return browser.tell('nothing is edited with --dry-run', 'warn');
  const why = whyNot(browser, node);
  if (why !== '') return browser.tell(why, 'warn');
  const size = tree.size(node);
  if (effects.isLocal() || (size < ASKS_FROM && !tree.isSizeUnknown(node)))
    return fetchAndOpen(browser, node, kind);
  const path = harmless(joinTitle(browser.title, tree.path(node)));
  const what = tree.isSizeUnknown(node) ? 'a file of unknown size' : plainSize(size);
  askYes(browser, {
    subject: 'Download',
    lines: [
      [span(`  download ${what}`)],
      [span(`  of ${path}`)],
      [span('  to a private temporary file, which is deleted afterwards', 'dim')],
    ],
    yes: 'download',
    onYes: () => fetchAndOpen(browser, node, kind),
  });
}

/** Runs a shell where the list is; afterwards a directory of this machine is listed again. */
export function openShell(browser: Browser) {
  const { rows, tree, effects } = browser;
  const { dir } = rows;
  if (browser.restraint === 'imported')
    return browser.tell('a scan from a file has no place for a shell', 'warn');
  const path = tree.path(dir);
  const run = () => effects.runProgram('shell', path);
  void lend(browser, run, async () => {
    if (browser.message === undefined) browser.tell('back from the shell');
    if (effects.isLocal() && browser.scan.state !== 'running') browser.rescan(dir);
  });
}

function whyNot({ tree, restraint }: Browser, node: NodeId): string {
  if (tree.isDir(node)) return 'this is a directory';
  if (restraint === 'imported') return 'a scan from a file has no contents';
  if (tree.isSpecial(node)) return 'links and special files are not opened';
  return tree.isCurrent(node) ? '' : 'only current objects are opened';
}

function fetchAndOpen(browser: Browser, node: NodeId, kind: 'pager' | 'editor'): void {
  const { tree, effects } = browser;
  const name = tree.path(node);
  let bytes = 0;
  const report: TransferReport = {
    ...NO_REPORT,
    bytes(count) {
      bytes += count;
      browser.changed();
    },
  };
  whileWaiting(browser, `opening ${harmless(name)}`, {
    work: (op) => effects.localFile(node, report, op),
    status: () => (bytes === 0 ? '' : `${plainSize(bytes)} of ${plainSize(tree.size(node))}`),
    onResult: (file) => run(browser, node, kind, file),
  });
}

function run(browser: Browser, node: NodeId, kind: 'pager' | 'editor', file: LocalFile): void {
  const after = () => afterProgram(browser, node, kind, file);
  void lend(browser, () => browser.effects.runProgram(kind, file.path), after);
}

/** Lends the terminal to a program, and says what failed. */
async function lend(browser: Browser, run: () => Promise<string>, after: () => Promise<void>) {
  try {
    const why = await browser.lend(run);
    if (why !== '') browser.tell(harmless(why), 'bad');
    await after();
  } catch (thrown) {
    browser.tell(harmless(toSyncerError(thrown).message), 'bad');
  }
}

async function afterProgram(
  browser: Browser,
  node: NodeId,
  kind: 'pager' | 'editor',
  file: LocalFile,
): Promise<void> {
  const op = { signal: browser.closing };
  if (kind === 'pager') return dropCopy(browser, file);
  if (!file.isCopy) return lookAgain(browser, node);
  const edited = await file.edited(op);
  const again = () => run(browser, node, kind, file);
  if (edited !== undefined) return askToSave(browser, [node, file], edited, again);
  browser.afterwards.delete(keptText(browser, node, file));
  await dropCopy(browser, file);
  if (browser.message === undefined) browser.tell('not changed: nothing is uploaded');
}

/** Asks what becomes of an edited copy: it is never lost by leaving the question. */
function askToSave(
  browser: Browser,
  [node, file]: readonly [NodeId, LocalFile],
  edited: Edited,
  editAgain: () => void,
): void {
  const { tree, tasks, title } = browser;
  const path = harmless(joinTitle(title, tree.path(node)));
  const { before, rival, bytes } = edited;
  const kept = keptText(browser, node, file);
  browser.afterwards.add(kept);
  const remove = async () => {
    browser.afterwards.delete(kept);
    await dropCopy(browser, file);
  };
  const keep = () =>
    browser.tell(`not uploaded: the edited file is ${harmless(file.path)}`, 'warn');
  const save = () =>
    tasks.add({
      verb: 'upload',
      subject: `${path}, edited`,
      async run(report, op) {
        try {
          await file.save(report, op);
        } catch (thrown) {
          const { code, message } = toSyncerError(thrown);
          throw new SyncerError(code, `${message}; the edited file is ${harmless(file.path)}`);
        }
        await remove();
        await lookAgain(browser, node);
      },
    });
  const act = (key: string, does: string, run: () => void) => {
    const acts = () => {
      browser.back();
      run();
    };
    return row(key, does, '', acts, { confirms: true });
  };
  const page = textPage(browser, {
    isDialog: true,
    subject: 'Upload the edited file',
    text: () => [
      [span(`  upload ${path}`, 'plain', true)],
      [span(`  edited ${factsText({ bytes, timeMs: Number.NaN })}`)],
      [span(`  before ${factsText(before)}`)],
      ...rivalLines(rival),
      [span(' ')],
      [span('  If not, the edited copy is kept.', 'dim')],
    ],
    no: 'keep',
    onLeave: keep,
    keys: () => [
      act('y', 'upload', save),
      act('e', 'edit', editAgain),
      act('D', 'discard', () => {
        browser.tell('the edit was discarded');
        void remove().catch(() => undefined);
      }),
    ],
  });
  browser.open(page);
}

function rivalLines(rival: Edited['rival']): readonly Line[] {
  if (rival === undefined) return [[span('  Unchanged since it was opened.', 'good')]];
  if (rival === 'gone') return [[span('  Deleted since it was opened.', 'warn')]];
  return [
    [span('  Changed since: that is replaced!', 'bad')],
    [span(`  now    ${factsText(rival)}`, 'warn')],
  ];
}

/** Deletes a copy, and says what the program saved beside it. */
async function dropCopy(browser: Browser, file: LocalFile): Promise<void> {
  const kept = await file.remove();
  if (kept === undefined) return;
  const text = `kept: other files were saved in ${harmless(kept)}`;
  browser.afterwards.add(text);
  browser.tell(text, 'warn');
}

/** Where an edited copy is, for the terminal. */
function keptText({ title, tree }: Browser, node: NodeId, { path }: LocalFile): string {
  return harmless(`${joinTitle(title, tree.path(node))} was edited and not uploaded: ${path}`);
}

/** Shows what is there now in the place of an entry. */
async function lookAgain(browser: Browser, node: NodeId): Promise<void> {
  const { tree, effects } = browser;
  const [dir, name] = [tree.parent(node), leafName(tree.path(node))];
  await effects.lookAgain(dir, name, { signal: browser.closing });
  browser.marks.prune();
  goTo(browser, dir, name);
}
