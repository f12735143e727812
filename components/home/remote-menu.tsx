import { harmless } from '../../src/core/harmless.ts';
import { shellLine } from '../../src/home/home-actions.ts';
import type { HomeContents, HomeRemote } from '../../src/home/home-entry.ts';
import { MENU_TAIL } from '../../src/home/home-keys.ts';
import { ago, runEnd } from '../../src/home/run-text.ts';
import { cut } from '../../src/screen/cells.ts';
import { span } from '../../src/screen/span.ts';
import { useLook } from '../shared/look-context.tsx';
import { Menu, type MenuItem } from '../shared/menu.tsx';
import { Paragraph } from '../shared/paragraph.tsx';
import { Row } from '../shared/row.tsx';

interface RemoteMenuProps {
  readonly contents: HomeContents;
  readonly cursor: number;
  readonly columns: number;
  readonly rows: number;
}

/** The remotes with their state, and below them what else there is. */
export function RemoteMenu({ contents, cursor, columns, rows }: RemoteMenuProps) {
  const { glyphs } = useLook();
  const { remotes, runs } = contents;
  const items: MenuItem[] = [
    ...remotes.map((remote, at) => ({
      key: at < 9 ? String(at + 1) : '',
      label: harmless(remote.name),
      note: stateText(remote),
    })),
    ...MENU_TAIL,
  ];
  const [last] = runs;
  const hasWelcome = remotes.length === 0;
  const extra = (hasWelcome ? 3 : 0) + (last === undefined ? 0 : 2);
  const lastLine =
    last === undefined
      ? ''
      : `Last run ${ago(Date.now() - last.endedMs)}: ${runEnd(last)}  ${harmless(shellLine(last.words))}`;
  return (
    <>
      {hasWelcome ? (
        <Paragraph
          text="No remotes yet. A remote is a named place for files, such as a bucket. Press n to add one."
          columns={columns}
          tone="dim"
        />
      ) : null}
      <Menu items={items} cursor={cursor} columns={columns} rows={Math.max(1, rows - extra)} />
      {last === undefined ? null : (
        <>
          <Row line={[span(' ')]} />
          <Row
            line={[span(cut(lastLine, columns, glyphs.ellipsis), last.exit === 0 ? 'dim' : 'warn')]}
          />
        </>
      )}
    </>
  );
}

function stateText({ type, place, login }: HomeRemote): string {
  return [type, place, login]
    .filter((text) => text !== '')
    .map(harmless)
    .join(', ');
}
