import { SyncerError, toSyncerError } from '../core/errors.ts';
import { harmless } from '../core/harmless.ts';
import { leafName } from '../core/remote-path.ts';
import { row } from '../screen/key-table.ts';
import { type Line, span } from '../screen/span.ts';
import type { NodeId } from '../size-tree/node.ts';
import type { Browser } from './browser.ts';
import { joinTitle } from './entry-pages.ts';
import { goTo } from './name-entries.ts';
import type { Edited, LocalFile } from './place-effects.ts';
import { textPage } from './text-page.ts';
import { reportTo } from './transfer-task.ts';
import { factsText } from './upload-entries.ts';

/** Asks what becomes of an edited copy: it is never lost by leaving the question. */
export function askToSave(
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
  const leave = () => browser.back();
  const save = () =>
    tasks.add({
      ...{ verb: 'upload', subject: `${path}, edited`, expected: { files: 0, bytes: 0 } },
      async run(task, op) {
        try {
          await file.save(reportTo(task), op);
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
      leave();
      run();
    };
    return row(key, does, '', acts, { confirms: true });
  };
  const page = textPage({
    subject: 'upload the edited file?',
    text: () => [
      [span(`  upload ${path}`, 'plain', true)],
      [span(`  edited ${factsText({ bytes, timeMs: Number.NaN })}`)],
      [span(`  before ${factsText(before)}`)],
      ...rivalLines(rival),
      [span(' ')],
      [span('  If not, the edited copy is kept.', 'dim')],
    ],
    back() {
      leave();
      keep();
    },
    keys: () => [
      act('y', 'upload', save),
      act('e', 'edit again', editAgain),
      act('D', 'discard', () => {
        browser.tell('the edit was discarded');
        void remove().catch(() => undefined);
      }),
      act('n', 'no', keep),
    ],
  });
  browser.open({ ...page, isBox: true });
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
export async function dropCopy(browser: Browser, file: LocalFile): Promise<void> {
  const kept = await file.remove();
  if (kept === undefined) return;
  const text = `kept: other files were saved in ${harmless(kept)}`;
  browser.afterwards.add(text);
  browser.tell(text, 'warn');
}

/** Where an edited copy is, for the terminal. */
export function keptText({ title, tree }: Browser, node: NodeId, { path }: LocalFile): string {
  return harmless(`${joinTitle(title, tree.path(node))} was edited and not uploaded: ${path}`);
}

/** Shows what is there now in the place of an entry. */
export async function lookAgain(browser: Browser, node: NodeId): Promise<void> {
  const { tree, effects } = browser;
  const [dir, name] = [tree.parent(node), leafName(tree.path(node))];
  await effects.lookAgain(dir, name, { signal: browser.closing });
  browser.marks.prune();
  goTo(browser, dir, name);
}
