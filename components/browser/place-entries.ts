import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { joinPath } from '../../src/core/remote-path.ts';
import { counted, harmless } from '../../src/core/shown-text.ts';
import {
  type OnConflict,
  restraintText,
  type UploadPlan,
} from '../../src/size-tree/browser-effects.ts';
import { findNode } from '../../src/size-tree/find-node.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import { plainSize } from '../../src/terminal/figures.ts';
import { span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import {
  afterReplacing,
  conflictLines,
  conflictsPage,
  isDry,
  nameOf,
  refusesExcluded,
  replacedNames,
} from './change-entries.ts';
import { joinTitle } from './entry-pages.ts';
import { askText, askYes, whileWaiting } from './text-page.tsx';

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
export function mayChangeHere(browser: Browser, done: string): boolean {
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
export function goTo({ rows, tree }: Browser, dir: NodeId, name: string): void {
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
