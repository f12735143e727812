import { harmless } from '../../src/core/harmless.ts';
import { actionsFor, commandOf, shellLine } from '../../src/home/home-actions.ts';
import type { HomeContents, HomeRemote } from '../../src/home/home-entry.ts';
import { cut } from '../../src/screen/cells.ts';
import { spelled } from '../../src/screen/key-table.ts';
import { span } from '../../src/screen/span.ts';
import { useLook } from '../shared/look-context.tsx';
import { Menu } from '../shared/menu.tsx';
import { Row } from '../shared/row.tsx';

interface ActionMenuProps {
  readonly contents: HomeContents;
  readonly remote: HomeRemote;
  readonly cursor: number;
  readonly columns: number;
  readonly rows: number;
}

/** What can be done with a remote, and the command line that does the same as the one under the cursor. */
export function ActionMenu({ contents, remote, cursor, columns, rows }: ActionMenuProps) {
  const { glyphs } = useLook();
  const actions = actionsFor(remote);
  const action = actions[cursor];
  const answers = action?.asks.map((ask) => ask.preset(remote.name) || spelled('…', glyphs));
  const preview = action && commandOf(action, remote.name, answers ?? [], contents);
  const items = actions.map((one) => ({ ...one, label: spelled(one.label, glyphs) }));
  const line = preview === undefined ? '' : `$ ${harmless(shellLine(preview.words))}`;
  return (
    <>
      <Menu items={items} cursor={cursor} columns={columns} rows={Math.max(1, rows - 2)} />
      <Row line={[span(' ')]} />
      <Row line={[span(cut(line, columns, glyphs.ellipsis), 'accent')]} />
    </>
  );
}
