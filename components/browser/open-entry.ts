import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { leafName } from '../../src/core/remote-path.ts';
import { harmless } from '../../src/core/shown-text.ts';
import {
  type Edited,
  type LocalFile,
  NO_REPORT,
  type TransferReport,
} from '../../src/size-tree/browser-effects.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import { plainSize } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import { factsText } from './change-entries.ts';
import { joinTitle } from './entry-pages.ts';
import { goTo, mayChangeHere } from './place-entries.ts';
import { askYes, textPage, whileWaiting } from './text-page.tsx';

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
