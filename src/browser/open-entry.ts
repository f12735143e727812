import { toSyncerError } from '../core/errors.ts';
import { harmless } from '../core/harmless.ts';
import { span } from '../screen/span.ts';
import type { NodeId } from '../size-tree/node.ts';
import type { Browser } from './browser.ts';
import { confirmPage } from './confirm-page.ts';
import { askToSave, dropCopy, keptText, lookAgain } from './edited-copy.ts';
import { joinTitle } from './entry-pages.ts';
import { plainSize } from './figures.ts';
import { mayChangeHere } from './name-entries.ts';
import type { LocalFile, TransferReport } from './place-effects.ts';
import { whileWaiting } from './upload-entries.ts';

/** Larger files are not downloaded only to be looked at without a question, in bytes. */
const ASKS_FROM = 16 * 1024 * 1024;

/** Opens a file in the user's pager or editor. */
export function openEntry(browser: Browser, node: NodeId, kind: 'pager' | 'editor'): void {
  const { tree, effects } = browser;
  if (kind === 'editor' && !mayChangeHere(browser, 'edited')) return;
  if (kind === 'editor' && browser.restraint === 'dry-run') {
    browser.tell('nothing is edited with --dry-run', 'warn');
    return;
  }
  const why = whyNot(browser, node);
  if (why !== '') {
    browser.tell(why, 'warn');
    return;
  }
  const size = tree.size(node);
  if (effects.isLocal() || (size < ASKS_FROM && !tree.isSizeUnknown(node))) {
    fetchAndOpen(browser, node, kind);
    return;
  }
  const path = harmless(joinTitle(browser.title, tree.path(node)));
  browser.open(
    confirmPage({
      subject: 'download to open it?',
      lines: [
        [
          span(
            `  download ${tree.isSizeUnknown(node) ? 'a file of unknown size' : plainSize(size)}`,
          ),
        ],
        [span(`  of ${path}`)],
        [span('  to a private temporary file, which is deleted afterwards', 'dim')],
      ],
      yes: 'download',
      onYes: () => fetchAndOpen(browser, node, kind),
      back: () => browser.back(),
    }),
  );
}

/** Runs a shell where the list is; afterwards a directory of this machine is listed again. */
export function openShell(browser: Browser): void {
  const { rows, tree, effects } = browser;
  const { dir } = rows;
  if (browser.restraint === 'imported') {
    browser.tell('a scan from a file has no place for a shell', 'warn');
    return;
  }
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
  return (tree.keptKind(node) ?? 'current') === 'current' ? '' : 'only current objects are opened';
}

function fetchAndOpen(browser: Browser, node: NodeId, kind: 'pager' | 'editor'): void {
  const { tree, effects } = browser;
  const name = tree.path(node);
  let bytes = 0;
  const report: TransferReport = {
    ...{ found() {}, done() {}, failed() {}, moved() {} },
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
