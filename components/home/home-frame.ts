import { counted } from '../../src/core/counted.ts';
import { harmless } from '../../src/core/harmless.ts';
import { runLine } from '../../src/run/history/run-text.ts';
import type { HomeContents } from '../../src/run/home-entry.ts';
import { shellLine } from '../../src/system/shell-words.ts';
import { cellWidth, cut, fill, fitLine } from '../../src/terminal/cells.ts';
import { cursorList } from '../../src/terminal/cursor-list.ts';
import { helpPage, scrolled, scrolledRange } from '../../src/terminal/help-lines.ts';
import { spelled } from '../../src/terminal/key-table.ts';
import type { Glyphs, Look } from '../../src/terminal/look.ts';
import type { FrameLine, ScreenFrame } from '../../src/terminal/screen-frame.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { actionsFor, commandOf } from './home-actions.ts';
import { homeItems, itemName } from './home-item.ts';
import { homeKeys, shownCommand } from './home-keys.ts';
import { listLines, runSpan } from './home-list.ts';
import type { ActionsView, AskView, HomeView } from './home-view.ts';
import {
  BLANK,
  commandLines,
  type DetailsRoom,
  itemLines,
  lastRunText,
  paneLines,
  runLines,
  text,
} from './item-details.ts';

/** What a view shows, besides its keys. */
type ViewFrame = Omit<ScreenFrame, 'hints' | 'help' | 'aside'> &
  Partial<Pick<ScreenFrame, 'aside'>>;

/** All that a view is drawn from. */
interface Drawing {
  readonly contents: HomeContents;
  readonly look: Look;
  readonly nowMs: number;
  /** Room of the lines. */
  readonly size: Size;
  /** What there is beside the list, on a wide screen. */
  readonly pane: DetailsRoom | undefined;
}

/** The home screen in one of its views. */
export function homeFrame(
  contents: HomeContents,
  view: HomeView,
  size: Size,
  look: Look,
  nowMs: number,
): ScreenFrame {
  const hints = homeKeys(contents, view, size);
  const aside = size.columns < 60 ? '' : asideText(contents);
  const { isWide } = layoutOf(size, false);
  if (view.at === 'keys') {
    const room = { columns: size.columns, rows: contentRows(layoutOf(size, false).inner) };
    const lines = helpPage(homeKeys(contents, view.back, size), view.first, room, look);
    return { subject: 'keys', aside, lines, hints };
  }
  if (view.at === 'sure') {
    const columns = isWide ? Math.min(70, size.columns - 8) : size.columns;
    const asked = [
      ...text(harmless(view.question), columns, 'warn'),
      BLANK,
      ...commandLines(view.command.words, columns),
    ];
    if (isWide) {
      const below = homeFrame(contents, view.back, size, look, nowMs);
      return { ...below, box: asked, asked, hints };
    }
    return { subject: 'Confirm', aside, lines: asked.map((line) => ({ line })), asked, hints };
  }
  const { inner, pane } = layoutOf(size, view.at !== 'run');
  const room = pane === 0 ? undefined : { columns: pane, look, nowMs };
  const { columns } = view.at === 'actions' ? inner : size;
  const status = statusOf(contents, view, columns, look, nowMs);
  const rows = contentRows(inner, status === undefined ? 0 : 1);
  const inRoom = { columns: inner.columns, rows };
  const frame = viewFrame(view, { contents, look, nowMs, size: inRoom, pane: room });
  const fitted = frame.pane?.map((line) => fitLine(line, pane, look.glyphs.ellipsis));
  return {
    aside,
    ...frame,
    ...(fitted === undefined ? {} : { pane: fitted }),
    hints,
    status,
    opens: view.at !== 'ask',
  };
}

function asideText({ remotes, jobs, mounts, running }: HomeContents): string {
  const parts = [
    remotes.length > 0 ? counted(remotes.length, 'remote') : '',
    jobs.length > 0 ? counted(jobs.length, 'job') : '',
    mounts.length > 0 ? counted(mounts.length, 'mount') : '',
    running.length > 0 ? `${running.length} running` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function statusOf(
  contents: HomeContents,
  view: HomeView,
  columns: number,
  { glyphs }: Look,
  nowMs: number,
): Line | undefined {
  if (view.at === 'ask') {
    return view.complaint === undefined ? undefined : [span(view.complaint, 'bad')];
  }
  if (view.at === 'actions') {
    const [line, more] = testLines(view, columns, glyphs);
    return more === undefined ? line : undefined;
  }
  if (view.at === 'remotes' && contents.problem !== undefined) {
    return [span(cut(harmless(contents.problem), columns, glyphs.ellipsis), 'bad')];
  }
  const last = view.at === 'remotes' ? lastRunText(contents, nowMs) : undefined;
  if (last === undefined) return undefined;
  const tone = contents.runs[0]?.exit === 0 ? 'dim' : 'warn';
  return [span(cut(last, columns, glyphs.ellipsis), tone)];
}

/** What a test of a remote came to; the status line shows one line, more are in the list. */
function testLines({ test }: ActionsView, columns: number, glyphs: Glyphs): readonly Line[] {
  if (test === undefined) return [];
  if (test === 'running') return [[span(spelled('Testing…', glyphs), 'accent')]];
  const words = `${test.works ? glyphs.tick : glyphs.cross} ${harmless(test.text)}`;
  return text(words, columns, test.works ? 'good' : 'bad');
}

type ListedView = Exclude<HomeView, { at: 'keys' | 'sure' }>;

function viewFrame(view: ListedView, drawing: Drawing): ViewFrame {
  const { contents, look, nowMs, size, pane } = drawing;
  switch (view.at) {
    case 'remotes': {
      const welcome = contents.remotes.length > 0 ? [] : text(WELCOME, size.columns, 'dim');
      const room = { ...size, rows: Math.max(1, size.rows - welcome.length) };
      const item = homeItems(contents)[view.cursor];
      return {
        subject: 'remotes',
        lines: [
          ...welcome.map((line) => ({ line })),
          ...listLines(contents, view.cursor, room, look, nowMs, pane !== undefined),
        ],
        ...(pane === undefined ? {} : { pane: paneLines(contents, item, pane) }),
      };
    }
    case 'actions':
      return actionsFrame(view, drawing);
    case 'ask':
      return {
        subject: `${harmless(view.remote.name)}: ${view.action.label.replace('…', '')}`,
        lines: askLines(view, drawing),
        ...(pane === undefined
          ? {}
          : { pane: itemLines(contents, { kind: 'remote', remote: view.remote }, pane, false) }),
      };
    case 'runs': {
      const run = contents.runs[view.cursor];
      const beside = pane === undefined || run === undefined ? [] : runLines(run, pane);
      const lines = historyLines(view.cursor, drawing);
      return { subject: 'history', lines, ...(pane === undefined ? {} : { pane: beside }) };
    }
    case 'run': {
      const all = runLines(view.run, size);
      const lines = scrolled(all, view.first, size.rows).map((line) => ({ line }));
      const aside = scrolledRange(all.length, view.first, size.rows);
      return { subject: 'a run', lines, ...(aside === '' ? {} : { aside }) };
    }
  }
}

const WELCOME =
  'No remotes yet. A remote is a named place for files, such as a bucket. Press n to add one.';

/** What can be done with an item, and the command line that does the same as the one under the cursor. */
function actionsFrame(view: ActionsView, drawing: Drawing): ViewFrame {
  const { contents, look, nowMs, size, pane } = drawing;
  const { item, cursor } = view;
  const { glyphs } = look;
  const name = itemName(item);
  const actions = actionsFor(item);
  const action = actions[cursor];
  const answers = action?.asks.map((ask) => ask.preset(name) || spelled('…', glyphs));
  const preview = action && commandOf(action, name, answers ?? [], contents);
  const width = Math.max(...actions.map(({ label }) => cellWidth(spelled(label, glyphs))));
  const tested = testLines(view, size.columns, glyphs).slice(0, Math.max(0, size.rows - 3));
  const result = tested.length > 1 ? tested : [];
  const room = { columns: size.columns, rows: Math.max(1, size.rows - 2 - result.length) };
  const menu = cursorList(actions, cursor, room, glyphs, ({ key, label, note }, selected) => [
    span(`${key}  `, 'accent'),
    span(fill(spelled(label, glyphs), width, glyphs.ellipsis), 'plain', selected),
    span(`  ${note}`, 'dim'),
  ]);
  const line = preview === undefined ? '' : `$ ${harmless(shellLine(preview.words))}`;
  const shown: FrameLine[] = [
    ...menu,
    { line: BLANK },
    { line: [span(cut(line, size.columns, glyphs.ellipsis), 'accent')] },
    ...result.map((part) => ({ line: part })),
  ];
  const about = itemLines(contents, item, pane ?? { columns: size.columns, look, nowMs }, false);
  const subject = item.kind === 'remote' ? `${harmless(name)}:` : harmless(name);
  if (pane !== undefined) return { subject, lines: shown, pane: about };
  const rowsLeft = Math.max(0, size.rows - shown.length);
  const below = [BLANK, ...about].slice(0, rowsLeft).map((one, at) => {
    const isCut = at > 0 && at === rowsLeft - 1 && about.length >= rowsLeft;
    const line = isCut ? [...one, span(` ${glyphs.ellipsis}`, 'dim')] : one;
    return { line: fitLine(line, size.columns, glyphs.ellipsis) };
  });
  return { subject, lines: [...shown, ...below].slice(0, size.rows) };
}

/** The texts that an action needs, and the command line they make. */
function askLines(view: AskView, { contents, look, size }: Drawing): readonly FrameLine[] {
  const { glyphs } = look;
  const { action, fields, field, matches = [] } = view;
  const width = Math.max(...action.asks.map(({ label }) => cellWidth(label)));
  const { words } = shownCommand(contents, view, spelled('…', glyphs));
  const asked = action.asks.map(({ label, example }, at): FrameLine => {
    const name = label.padStart(width);
    const edited = fields[at];
    if (at === field && edited !== undefined) {
      return { line: BLANK, field: { label: name, edited, placeholder: example } };
    }
    const typed = harmless(edited?.text ?? '');
    const shown = typed === '' ? span(example, 'dim') : span(typed);
    const line = [span(`${name} `, 'plain', true), shown];
    return { line: fitLine(line, size.columns, glyphs.ellipsis) };
  });
  const below = [
    BLANK,
    ...commandLines(words, size.columns),
    ...text(harmless(matches.slice(0, 50).join('  ')), size.columns, 'dim'),
  ];
  const lines = [...text(action.note, size.columns, 'dim'), BLANK].map((line) => ({ line }));
  return [...lines, ...asked, ...below.map((line) => ({ line }))].slice(0, size.rows);
}

/** The history, the newest first. */
function historyLines(
  cursor: number,
  { contents: { runs }, look: { glyphs }, nowMs, size }: Drawing,
): readonly FrameLine[] {
  if (runs.length === 0) return [{ line: [span('No runs yet.', 'dim')] }];
  const ended = runs.map((run) => ({ line: runLine(run), end: runSpan(run, glyphs, nowMs) }));
  const most = Math.floor(size.columns / 2);
  const width = Math.min(most, Math.max(...ended.map(({ end }) => cellWidth(end.text))));
  return cursorList(ended, cursor, size, glyphs, ({ end, line }) => [
    { ...end, text: fill(end.text, width, glyphs.ellipsis) },
    span(`  ${harmless(line)}`),
  ]);
}
