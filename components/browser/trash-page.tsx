import { counted, figure, harmless } from '../../src/core/shown-text.ts';
import type { DeletedRun, TrashEffects } from '../../src/size-tree/browser-effects.ts';
import { commonParent } from '../../src/size-tree/find-node.ts';
import { plainSize, sizeText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { span } from '../../src/terminal/span.ts';
import { ago } from '../../src/terminal/time-texts.ts';
import type { Browser } from './browser.ts';
import type { KeptFiles } from './kept-files.ts';
import { type BrowserPage, backRow, HELPS, RowList, shownIf } from './page.ts';
import { rowsPage } from './page-frame.tsx';
import { askYes, whileWaiting } from './text-page.tsx';

/** Lists the trash of the place, and shows it. */
export function openTrash(browser: Browser) {
  const { kept, effects, tree } = browser;
  if (kept === undefined || effects.trash === undefined || tree.hasKept)
    return browser.tell(
      tree.hasKept
        ? 'all versions are shown already: browse without --all to see the trash'
        : 'there is no trash here: nothing is kept without a history',
      'warn',
    );
  const { trash } = effects;
  whileWaiting(browser, 'listing the trash', {
    work: (op) => kept.list(op),
    onResult: () => browser.open(trashPage(browser, kept, trash)),
  });
}

/** What is in the trash, by what was done; each can be restored or deleted for good. */
function trashPage(browser: Browser, kept: KeptFiles, trash: TrashEffects): BrowserPage {
  const list = new RowList(() => kept.runs ?? []);
  return rowsPage({
    list,
    keys: (run) => {
      const isShown = run !== undefined && browser.restraint === undefined;
      const restore = () => isShown && askToRestore(browser, trash, run);
      const remove = () => isShown && askToEmpty(browser, trash, [run], 'Delete from the trash');
      const empty = () => isShown && askToEmpty(browser, trash, list.items, 'Empty the trash');
      const more = 'delete it for good (asks first); also Del';
      return [
        backRow(() => browser.back()),
        ...shownIf(
          isShown,
          row('Enter r', 'restore', 'put it back where it was (asks first)', restore, {
            short: 'Enter',
          }),
        ),
        ...shownIf(
          isShown && !run.isFixed,
          row('d', 'delete for good', more, remove, { also: 'Del' }),
        ),
        ...shownIf(
          isShown && kept.bytes > 0,
          row('E', 'empty', 'delete all that is in the trash for good (asks first)', empty),
        ),
        list.rule(),
        ...HELPS,
      ];
    },
    view: () => ({
      browser,
      subject: 'trash',
      aside: `in trash: ${plainSize(kept.bytes)}`,
      none: 'The trash is empty.',
      lineOf: (run) => [
        span(sizeText(run.bytes).padStart(10)),
        span(`  ${ago(Date.now() - run.timeMs).padStart(10)}`, 'dim'),
        span(`  ${harmless(nameOf(run))}`),
        span(run.files > 1 ? `  ${counted(run.files, 'file')}` : '', 'dim'),
        span(run.isFixed ? '  in the recycle bin' : '', 'dim'),
      ],
    }),
  });
}

/** What a run deleted, as far as one path says it: the directory that all of it lies in. */
function nameOf({ paths, files }: DeletedRun): string {
  const [only = ''] = paths;
  if (files === 1) return only;
  const above = commonParent(paths);
  return above === '' ? `${only} and ${figure(files - 1)} more` : `${above}/`;
}

const namesOf = ({ paths }: DeletedRun) => paths.map((path) => ({ name: harmless(path) }));

function askToRestore(browser: Browser, trash: TrashEffects, run: DeletedRun): void {
  askYes(browser, {
    subject: 'Restore',
    lines: [
      [span(`  Put back ${counted(run.files, 'file')}, ${plainSize(run.bytes)}`, 'plain', true)],
      [span('  Where another file is now, that stays, and this one stays in the trash.')],
    ],
    names: namesOf(run),
    noun: 'file',
    yes: 'restore',
    onYes: () =>
      browser.tasks.add({
        verb: 'restore',
        subject: harmless(nameOf(run)),
        expected: { files: run.files, bytes: run.bytes },
        async run(report, op) {
          try {
            await trash.restore(run, report, op);
          } finally {
            if (!op.signal.aborted) await browser.seeAgain(run.paths, op);
            browser.kept?.read();
          }
        },
        undone: (op) => browser.seeAgain(run.paths, op),
      }),
  });
}

function askToEmpty(
  browser: Browser,
  trash: TrashEffects,
  all: readonly DeletedRun[],
  subject: string,
) {
  const runs = all.filter(({ isFixed }) => !isFixed);
  if (runs.length === 0)
    return browser.tell('the recycle bin of a drive is emptied on its website', 'warn');
  const files = runs.reduce((sum, run) => sum + run.files, 0);
  const bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
  askYes(browser, {
    subject,
    lines: [
      [span(`  Delete ${counted(files, 'file')} for good`, 'bad', true)],
      [span(`  Frees ${plainSize(bytes)}. This cannot be undone.`, 'warn')],
    ],
    names: runs.flatMap(namesOf),
    noun: 'file',
    yes: 'delete for good',
    onYes: () =>
      browser.tasks.add({
        verb: 'empty',
        subject: 'the trash',
        expected: { files, bytes },
        async run(report, op) {
          await trash.empty(runs, report, op).finally(() => browser.kept?.read());
        },
      }),
  });
}
