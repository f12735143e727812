import { actionsFor, shellLine } from '../../src/home/home-actions.ts';
import type { HomeRemote } from '../../src/home/home-entry.ts';
import { cut, harmless } from '../../src/screen/cells.ts';
import { span } from '../../src/screen/span.ts';
import { useLook } from '../shared/look-context.tsx';
import { Menu } from '../shared/menu.tsx';
import { Row } from '../shared/row.tsx';

interface ActionMenuProps {
  readonly remote: HomeRemote;
  readonly cursor: number;
  readonly columns: number;
  readonly rows: number;
}

/** What can be done with a remote, and the command line that does the same as the one under the cursor. */
export function ActionMenu({ remote, cursor, columns, rows }: ActionMenuProps) {
  const { glyphs } = useLook();
  const actions = actionsFor(remote);
  const action = actions[cursor];
  const preview = action?.command(
    remote.name,
    action.asks.map((ask) => ask.preset(remote.name) || '…'),
  );
  const line = preview === undefined ? '' : `$ ${harmless(shellLine(preview.words))}`;
  return (
    <>
      <Menu items={actions} cursor={cursor} columns={columns} rows={Math.max(1, rows - 2)} />
      <Row line={[span(' ')]} />
      <Row line={[span(cut(line, columns, glyphs.ellipsis), 'accent')]} />
    </>
  );
}
