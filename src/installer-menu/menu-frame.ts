import { harmless } from '../core/harmless.ts';
import { cellWidth, cut, cutMiddle, wrap } from '../screen/cells.ts';
import { cursorList } from '../screen/cursor-list.ts';
import { ENOUGH_LINES } from '../screen/drawn-question.ts';
import { helpPage } from '../screen/help-lines.ts';
import type { Glyphs, Look } from '../screen/look.ts';
import type { ScreenFrame } from '../screen/screen-frame.ts';
import { contentRows, layoutOf } from '../screen/screen-layout.ts';
import type { Size } from '../screen/screen-model.ts';
import { type Line, span, type Tone } from '../screen/span.ts';
import { MENU_ITEMS, type MenuStep, type MenuView, menuKeys, planLines } from './menu-keys.ts';

/** The installer: its menu, what would be done, then the steps of what was chosen. */
export function menuFrame(view: MenuView, size: Size, look: Look): ScreenFrame {
  const { glyphs } = look;
  const { inner, pane } = layoutOf(size, view.at !== 'work');
  const room = { columns: inner.columns, rows: contentRows(inner) };
  const common = { aside: '', hints: menuKeys(view) };
  const plain = (lines: readonly Line[]) => lines.map((line) => ({ line }));
  if (view.at === 'keys') {
    const lines = helpPage(menuKeys({ ...view, at: 'menu' }), 0, room, look);
    return { ...common, subject: 'keys', lines };
  }
  if (view.at === 'work') {
    const lines = workLines(view, room.columns, glyphs).slice(-room.rows);
    return { ...common, subject: view.title, lines: plain(lines) };
  }
  const isAsked = view.at === 'ask';
  const columns = pane === 0 ? room.columns : room.columns - 6;
  const rows = pane === 0 ? room.rows : Math.floor(room.rows * 0.8) - 2;
  const question = isAsked ? questionLines(view, columns) : [];
  const shown = question.slice(0, rows);
  const asked = question.slice(0, ENOUGH_LINES);
  const subject = 'installer';
  if (isAsked && pane === 0) return { ...common, subject, lines: plain(shown), asked };
  const cursor =
    view.at === 'menu' ? view.cursor : MENU_ITEMS.findIndex(({ deed }) => deed === view.deed);
  const item = MENU_ITEMS[cursor];
  return {
    ...{ ...common, subject, opens: view.at === 'menu' },
    lines: [{ line: [span(' ')] }, ...itemLines(cursor, room, glyphs)],
    ...(isAsked ? { box: shown, asked } : {}),
    ...(view.at === 'look' ? { status: [span('Reading the current state', 'dim')] } : {}),
    ...(pane === 0 || item === undefined ? {} : { pane: aboutLines(item, pane) }),
  };
}

function itemLines(cursor: number, { columns, rows }: Size, glyphs: Glyphs) {
  const width = Math.max(...MENU_ITEMS.map(({ label }) => label.length));
  const size = { columns, rows: Math.max(1, rows - 1) };
  return cursorList(MENU_ITEMS, cursor, size, glyphs, ({ key, label, note }, selected) => [
    span(`${key}  `, 'accent'),
    span(label.padEnd(width), 'plain', selected),
    span(`  ${note}`, 'dim'),
  ]);
}

function aboutLines({ label, about }: (typeof MENU_ITEMS)[number], columns: number): Line[] {
  const text = (words: string): Line[] => wrap(words, columns).map((line) => [span(line)]);
  return [[span(label, 'section')], ...text(about)];
}

/** What would be done, and whether to do it. */
function questionLines(
  { plan, first }: MenuView & { readonly at: 'ask' },
  columns: number,
): readonly Line[] {
  const lines = planLines(plan).flatMap((text, at): Line[] =>
    wrap(harmless(text), columns).map((line) => [
      span(line, at < plan.notes.length ? 'warn' : 'plain'),
    ]),
  );
  return [[span(`${plan.title}? y/n`, 'section')], [span(' ')], ...lines.slice(first)];
}

/** The steps with how far they are, what was undone, and how it ended. */
function workLines(
  { steps, undone, end }: MenuView & { readonly at: 'work' },
  columns: number,
  glyphs: Glyphs,
): readonly Line[] {
  const lines: Line[] = [
    ...steps.flatMap((step) => stepLines(step, columns, glyphs)),
    ...undone.map((text) => [span(cut(`  ${harmless(text)}`, columns, glyphs.ellipsis), 'warn')]),
  ];
  if (end === undefined) return lines;
  const tone: Tone = end.code === 0 ? 'good' : 'bad';
  const text = end.lines.flatMap((line) => wrap(harmless(line), columns));
  const gap: Line[] = lines.length > 0 ? [[span(' ')]] : [];
  return [...lines, ...gap, ...text.map((line) => [span(line, tone)])];
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
