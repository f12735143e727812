import { harmless } from '../../src/core/shown-text.ts';
import { cellWidth, cutMiddle } from '../../src/terminal/cells.ts';
import { menuLine } from '../../src/terminal/cursor-list.ts';
import { ENOUGH_LINES } from '../../src/terminal/drawn-question.ts';
import { scrolledText } from '../../src/terminal/help-lines.ts';
import type { Glyphs } from '../../src/terminal/look.ts';
import { type Line, span, type Tone } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { Menu } from '../ui/list.tsx';
import { Page } from '../ui/page.tsx';
import type { PageQuestion } from '../ui/question.ts';
import { type ScreenViewProps, useLook, useRoom } from '../ui/screen.tsx';
import { Lines, Paragraph } from '../ui/text.tsx';
import { MENU_ITEMS, type MenuStep, type MenuView, planLines } from './menu-keys.ts';
import type { MenuModel } from './menu-model.ts';

/** The installer: its menu, what would be done, then the steps of what was chosen. */
export function InstallerView({ model }: ScreenViewProps<MenuModel>) {
  const view = model.state;
  const { glyphs } = useLook();
  if (view.at === 'work')
    return (
      <Page subject={view.title}>
        <Work {...view} />
      </Page>
    );
  const cursor =
    view.at === 'menu' ? view.cursor : MENU_ITEMS.findIndex(({ deed }) => deed === view.deed);
  const about = (
    <>
      <Paragraph text={MENU_ITEMS[cursor]?.label} tone="section" />
      <Paragraph text={MENU_ITEMS[cursor]?.about} />
    </>
  );
  return (
    <Page
      subject="installer"
      status={view.at === 'look' ? [span('Reading the current state', 'dim')] : undefined}
      question={view.at === 'ask' ? questionOf(view, glyphs) : undefined}
      pane={about}
    >
      <Menu
        items={MENU_ITEMS}
        cursor={cursor}
        opens={view.at === 'menu'}
        lineOf={(item, selected) => menuLine(item, LABEL_COLUMNS, selected, glyphs)}
      />
    </Page>
  );
}

const LABEL_COLUMNS = Math.max(...MENU_ITEMS.map(({ label }) => label.length));

/** What would be done, and whether to do it. */
function questionOf(
  { plan, first }: MenuView & { readonly at: 'ask' },
  glyphs: Glyphs,
): PageQuestion {
  return {
    enough: ENOUGH_LINES,
    lines: ({ columns, rows }) => {
      const plans = planLines(plan).flatMap((text, at) =>
        textLines(text, columns, at < plan.notes.length ? 'warn' : 'plain'),
      );
      const title = textLines(`${plan.title}? y/n`, columns, 'section');
      const shown = scrolledText(plans, first, rows - title.length - 1, '↑↓', { glyphs });
      return [...title, [], ...shown].map((line) => ({ line }));
    },
  };
}

/** The steps with how far they are, what was undone, and how it ended. */
function Work({ steps, undone, end }: MenuView & { readonly at: 'work' }) {
  const { glyphs } = useLook();
  const { columns } = useRoom();
  const done: readonly Line[] = [
    ...steps.flatMap((step) => stepLines(step, columns, glyphs)),
    ...undone.map((text): Line => [span(`  ${harmless(text)}`, 'warn')]),
  ];
  const tone = end?.code === 0 ? 'good' : 'bad';
  const result = end?.lines.flatMap((line) => textLines(line, columns, tone)) ?? [];
  const gap: readonly Line[] = done.length > 0 && result.length > 0 ? [[]] : [];
  return <Lines lines={[...done, ...gap, ...result]} first={Number.POSITIVE_INFINITY} />;
}

function stepLines(
  { text, state, note }: MenuStep,
  columns: number,
  glyphs: Glyphs,
): readonly Line[] {
  const room = columns - 3;
  const behind = note === '' ? '' : `: ${harmless(note)}`;
  // How far it is matters more than the middle of an address.
  const kept = Math.max(Math.min(20, room), room - cellWidth(behind));
  const short = `${cutMiddle(harmless(text), kept, glyphs.ellipsis)}${behind}`;
  const shown = span(short, state === 'waiting' ? 'dim' : 'plain');
  const lines = state === 'warned' ? textLines(text + behind, room) : [[shown]];
  const marks: Readonly<Record<MenuStep['state'], readonly [string, Tone]>> = {
    waiting: [' ', 'dim'],
    running: [glyphs.arrow, 'accent'],
    done: [glyphs.tick, 'good'],
    warned: ['!', 'warn'],
    failed: [glyphs.cross, 'bad'],
  };
  const [mark, tone] = marks[state];
  return lines.map((line, at) => [span((at === 0 ? mark : '').padEnd(3), tone), ...line]);
}
