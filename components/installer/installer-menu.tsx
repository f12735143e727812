import { harmless } from '../../src/core/harmless.ts';
import {
  MENU_ITEMS,
  type MenuStep,
  type MenuView,
  menuKeys,
  planLines,
} from '../../src/installer-menu/menu-keys.ts';
import type { MenuModel } from '../../src/installer-menu/menu-model.ts';
import { cellWidth, cut, cutMiddle, wrap } from '../../src/screen/cells.ts';
import type { Glyphs } from '../../src/screen/look.ts';
import { type Line, span, type Tone } from '../../src/screen/span.ts';
import { Lines } from '../shared/lines.tsx';
import { useLook } from '../shared/look-context.tsx';
import { Menu } from '../shared/menu.tsx';
import { Page, pageRows } from '../shared/page.tsx';
import { Row } from '../shared/row.tsx';
import type { ViewProps } from '../shared/screen-root.tsx';

interface WorkListProps {
  readonly view: MenuView & { readonly at: 'work' };
  readonly columns: number;
  readonly rows: number;
}

/** The installer: its menu, then the steps of what was chosen. */
export function InstallerMenu({ model, size }: ViewProps<MenuModel>) {
  const view = model.state;
  const subject = view.at === 'work' ? view.title : 'installer';
  const rows = pageRows(size, false);
  return (
    <Page size={size} title="webhook" subject={subject} hints={menuKeys(view)}>
      {view.at === 'look' ? <Row line={[span('Reading the current state', 'dim')]} /> : null}
      {view.at === 'ask' ? <Question view={view} columns={size.columns} rows={rows} /> : null}
      {view.at === 'menu' ? (
        <>
          <Row line={[span(' ')]} />
          <Menu items={MENU_ITEMS} cursor={view.cursor} columns={size.columns} rows={rows - 1} />
        </>
      ) : null}
      {view.at === 'work' ? <WorkList view={view} columns={size.columns} rows={rows} /> : null}
    </Page>
  );
}

interface QuestionProps {
  readonly view: MenuView & { readonly at: 'ask' };
  readonly columns: number;
  readonly rows: number;
}

/** What would be done, and whether to do it. */
function Question({ view: { plan, first }, columns, rows }: QuestionProps) {
  const lines = planLines(plan).flatMap((text, at): Line[] =>
    wrap(harmless(text), columns).map((line) => [
      span(line, at < plan.notes.length ? 'warn' : 'plain'),
    ]),
  );
  return (
    <>
      <Row line={[span(`${plan.title}? y/n`, 'title')]} />
      <Row line={[span(' ')]} />
      <Lines lines={lines.slice(first)} rows={rows - 2} />
    </>
  );
}

/** The steps with how far they are, what was undone, and how it ended; the last lines where not all fit. */
function WorkList({ view, columns, rows }: WorkListProps) {
  const { glyphs } = useLook();
  const { steps, undone, end } = view;
  const lines: Line[] = [
    ...steps.flatMap((step) => stepLines(step, columns, glyphs)),
    ...undone.map((text) => [span(cut(`  ${harmless(text)}`, columns, glyphs.ellipsis), 'warn')]),
  ];
  if (end !== undefined) {
    const tone: Tone = end.code === 0 ? 'good' : 'bad';
    const text = end.lines.flatMap((line) => wrap(harmless(line), columns));
    if (lines.length > 0) lines.push([span(' ')]);
    lines.push(...text.map((line) => [span(line, tone)]));
  }
  return <Lines lines={lines.slice(-rows)} rows={rows} />;
}

function stepLines({ text, state, note }: MenuStep, columns: number, glyphs: Glyphs): Line[] {
  const [mark, tone] = markOf(state, glyphs);
  const room = columns - 3;
  const behind = note === '' ? '' : `: ${harmless(note)}`;
  if (state === 'warned') {
    const wrapped = wrap(`${harmless(text)}${behind}`, room);
    return wrapped.map((line, at) => [span((at === 0 ? mark : '').padEnd(3), tone), span(line)]);
  }
  // How far it is matters more than the middle of an address.
  const kept = Math.max(Math.min(20, room), room - cellWidth(behind));
  const words = `${cutMiddle(harmless(text), kept, glyphs.ellipsis)}${behind}`;
  const shown = span(cut(words, room, glyphs.ellipsis), state === 'waiting' ? 'dim' : 'plain');
  return [[span(mark.padEnd(3), tone), shown]];
}

function markOf(state: MenuStep['state'], glyphs: Glyphs): readonly [string, Tone] {
  if (state === 'done') return [glyphs.tick, 'good'];
  if (state === 'failed') return [glyphs.cross, 'bad'];
  if (state === 'warned') return ['!', 'warn'];
  return state === 'running' ? [glyphs.arrow, 'accent'] : [' ', 'dim'];
}
