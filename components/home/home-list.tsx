import { runsOfJob } from '../../src/config/job.ts';
import { counted, harmless } from '../../src/core/shown-text.ts';
import { formatSizeUnit } from '../../src/go/quantities.ts';
import { runEnd, runLine, runSum } from '../../src/run/history/run-text.ts';
import type { HomeContents, HomeMount, HomeRemote } from '../../src/run/home-entry.ts';
import {
  type RunningSummary,
  runningLine,
  runningText,
  timeLeft,
} from '../../src/run/presence/running-text.ts';
import type { PastRun } from '../../src/state/runs.ts';
import { shellLine } from '../../src/system/shell-words.ts';
import { bar } from '../../src/terminal/bar.ts';
import {
  cellWidth,
  columnWidths,
  fill,
  inColumns,
  lineWidth,
  mostOf,
} from '../../src/terminal/cells.ts';
import { aroundCursor, cursorLine, POINTER_COLUMNS } from '../../src/terminal/cursor-list.ts';
import type { Glyphs } from '../../src/terminal/look.ts';
import { type FrameLine, type Line, type Span, span } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { ago } from '../../src/terminal/time-texts.ts';
import { List } from '../ui/list.tsx';
import { useLook, useRoom } from '../ui/screen.tsx';
import { Lines, Paragraph } from '../ui/text.tsx';
import { type HomeItem, type HomeListState, numberedRemotes } from './home-item.ts';

/** Below this width the columns of a section are its name and its state. */
export const NARROW = 60;

/** A part of the list: its headings, and a row for each item. */
interface Section {
  /** The first is its name; empty for one that needs none. */
  readonly headings: readonly string[];
  readonly rows: { readonly key: string; readonly cells: readonly Line[] }[];
  /** Its columns are not those of the others: states before command lines. */
  readonly hasOwn: boolean;
}

const WELCOME =
  'No remotes yet. A remote is a named place for files, such as a bucket. Press n to add one.';

/** The first list: this computer, remotes, what runs, what ran, below their headings, with the cursor on one of them. */
export function HomeList(props: {
  readonly items: readonly HomeItem[];
  readonly page: HomeListState;
  readonly contents: HomeContents;
  readonly nowMs: number;
}) {
  const { items, page, contents, nowMs } = props;
  const { glyphs } = useLook();
  const { columns, rows, hasPane } = useRoom();
  const isWelcome = contents.remotes.length === 0 && page.filter === undefined;
  const welcome = isWelcome ? textLines(WELCOME, columns, 'dim') : [];
  if (items.length === 0) return <Paragraph text="Nothing matches the filter." tone="dim" />;
  const left = Math.max(1, rows - welcome.length);
  const isNarrow = columns < NARROW && !hasPane;
  const sections = sectionsOf(items, { contents, glyphs, nowMs, columns, isNarrow, hasPane });
  const all = sections.flatMap((section) => section.rows);
  const isKeyed = all.some(({ key }) => key !== '');
  const firstOf = ({ headings, rows: lines }: Section) => [
    cellWidth(headings[0] ?? ''),
    ...lines.map(({ cells }) => lineWidth(cells[0] ?? [])),
  ];
  const names = sections.filter(({ hasOwn }) => !hasOwn).flatMap(firstOf);
  const nameWidth = Math.min(Math.max(16, Math.floor(columns / 4)), Math.max(...names));
  const hasGaps = all.length + 2 * sections.length - 1 <= left;
  const lines: FrameLine[] = [];
  let at = 0;
  for (const { headings, rows: listed, hasOwn } of sections) {
    const cut = isNarrow ? 2 : undefined;
    const head = headings.slice(0, cut).map((text): Line => [span(text, 'heading')]);
    const table = [head, ...listed.map(({ cells }) => cells.slice(0, cut))];
    const own = columnWidths(table, columns - POINTER_COLUMNS - (isKeyed ? 3 : 0));
    const widths = hasOwn ? own : own.with(0, nameWidth);
    const draw = (key: string, cells: readonly Line[], isSelected: boolean) => {
      const keySpan = span(fill(key, isKeyed ? 3 : 0, ''), 'accent');
      const line = [keySpan, ...inColumns(cells, widths, glyphs.ellipsis)];
      return cursorLine(line, isSelected, columns, glyphs);
    };
    if (hasGaps && lines.length > 0) lines.push({ line: [] });
    if (head.length > 0) lines.push(draw('', head, false));
    for (const { key, cells } of listed) {
      lines.push({ ...draw(key, cells.slice(0, cut), at === page.cursor), at });
      at++;
    }
  }
  return (
    <>
      <Lines lines={welcome} />
      <List lines={aroundCursor(lines, left)} opens />
    </>
  );
}

/** What items and their details are drawn from, and their columns. */
export interface DetailsRoom {
  readonly contents: HomeContents;
  readonly columns: number;
  readonly glyphs: Glyphs;
  readonly nowMs: number;
}

interface DrawnItems extends DetailsRoom {
  readonly isNarrow: boolean;
  readonly hasPane: boolean;
}

/** The items in their order, those of one kind below the headings of its columns. */
function sectionsOf(items: readonly HomeItem[], drawn: DrawnItems): readonly Section[] {
  const sections: Section[] = [];
  const numbered = numberedRemotes(drawn.contents);
  for (const item of items) {
    const [own, cells] = rowOf(item, drawn);
    const headings = 'isPinned' in item && item.isPinned ? ['Pinned'] : own;
    const hasOwn = item.kind === 'running' || item.kind === 'past';
    if (sections.at(-1)?.headings[0] !== headings[0] || sections.length === 0)
      sections.push({ headings, rows: [], hasOwn });
    const number = item.kind === 'remote' ? numbered.indexOf(item.name) + 1 : 0;
    const digit = number > 0 && number < 10 ? String(number) : '';
    const key = item.kind === 'page' ? item.page.key : digit;
    sections.at(-1)?.rows.push({ key, cells });
  }
  return sections;
}

/** The headings of the section of an item, and what stands in its columns: its name, its state, and more. */
function rowOf(item: HomeItem, drawn: DrawnItems): readonly [readonly string[], readonly Line[]] {
  const { contents, glyphs, nowMs, hasPane } = drawn;
  const dim = (text: string): Line => [span(harmless(text), 'dim')];
  switch (item.kind) {
    case 'offer':
      return [['Begin with'], [[span(harmless(item.offer.label))], dim(item.offer.note)]];
    case 'page':
      return [[], [[span(item.page.label)], dim(item.page.note)]];
    case 'place': {
      const { isHere, shown } = item.place;
      const heading = isHere === true ? 'This computer' : 'Recent places';
      return [[heading], [[span(harmless(shown))], spaceCell(item.place, drawn)]];
    }
    case 'remote': {
      const hasUsed = [...contents.health.values()].some(({ used }) => used !== undefined);
      const headings = ['Remotes', 'state', hasUsed ? 'used' : '', 'type'];
      return [hasPane ? headings : [...headings, 'place'], remoteCells(item.remote, drawn)];
    }
    case 'job': {
      const [last] = runsOfJob(item.job, contents.runs);
      const state = last === undefined ? span('never run', 'dim') : runSpan(last, glyphs, nowMs);
      const line = shellLine(item.job.words).replace(/^syncer /, '');
      const cells = [[span(harmless(item.job.name))], [state], dim(line)];
      return [['Jobs', 'last run', 'command'], cells];
    }
    case 'mount': {
      const { mountPoint, source } = item.mount;
      const cells = [[span(harmless(mountPoint))], [uploadSpan(item.mount)], dim(source)];
      return [['Mounts', 'state', 'remote'], cells];
    }
    case 'running':
      return [['Now'], runningCells(item.run, drawn)];
    case 'past': {
      // The pane has it too; the command matters more.
      const hasSum = item.run.exit === 0 && drawn.columns >= LEAST_FOR_BARS;
      const line = runLine(item.run).replace(/^syncer /, '');
      const whole = runSpan(item.run, glyphs, nowMs);
      const isCut = cellWidth(whole.text) > mostOf(drawn.columns);
      const end = isCut ? runSpan(item.run, glyphs, nowMs, true) : whole;
      return [['Last runs'], [[end], [span(harmless(line))], dim(hasSum ? runSum(item.run) : '')]];
    }
  }
}

const NOT_ASKED = 'not asked yet';
const BAR_COLUMNS = 10;

/** From this width on bars stand beside sizes, and what a run did beside its command. */
const LEAST_FOR_BARS = 100;

/** A bar, and how much of a disk is used. */
function spaceCell(
  { used, total }: { readonly used?: number; readonly total?: number },
  { glyphs, isNarrow }: DrawnItems,
): Line {
  if (used === undefined) return [];
  if (!total) return [span(roughSize(used))];
  const text = span(`${roughSize(used)} of ${roughSize(total)}`);
  return isNarrow ? [text] : [...bar(used / total, BAR_COLUMNS, glyphs), span(' '), text];
}

/** A size with at most one decimal. */
export const roughSize = (bytes: number): string => roughly(formatSizeUnit(bytes));

const roughly = (text: string) => text.replace(/(\.\d)\d*/, '$1');

function remoteCells(remote: HomeRemote, drawn: DrawnItems): readonly Line[] {
  const { contents, isNarrow, hasPane, columns } = drawn;
  const { name, type, place } = remote;
  const state = stateSpan(remote, drawn, columns < LEAST_FOR_BARS);
  const { used, total } = contents.health.get(name) ?? {};
  const space = {
    ...(used !== undefined && { used }),
    ...(total !== undefined && columns >= LEAST_FOR_BARS && { total }),
  };
  const kind = span(harmless(type), 'dim');
  const shown = isNarrow && state.text === NOT_ASKED ? kind : state;
  const cells = [[span(harmless(name))], [shown], spaceCell(space, drawn), [kind]];
  return hasPane ? cells : [...cells, [span(harmless(place), 'dim')]];
}

/** The state of a running run, its command line, and the time that is left. */
export function runningCells(
  run: RunningSummary,
  { glyphs, nowMs, columns }: Pick<DrawnItems, 'glyphs' | 'nowMs' | 'columns'>,
): readonly Line[] {
  const { far } = run;
  const share = shareOf(run);
  const state = runningSpan(run);
  const hasBar = BAR_COLUMNS + 1 + cellWidth(state.text) <= mostOf(columns);
  const shown =
    share === undefined || run.state === 'waiting' || !hasBar
      ? [state]
      : [...bar(share, BAR_COLUMNS, glyphs), span(' '), state];
  const left =
    far?.secondsLeft === undefined || run.state === 'waiting'
      ? ago(nowMs - run.startedMs)
      : `${timeLeft(far.secondsLeft)} left`;
  return [shown, [span(runningLine(run))], [span(left, 'dim')]];
}

/** How much of a run is done, from 0 to 1; `undefined` while that is not known. */
export function shareOf({ far }: RunningSummary): number | undefined {
  return far !== undefined && far.totalBytes > 0 ? far.bytes / far.totalBytes : undefined;
}

/** What was answered so long ago at most has no age, in milliseconds. */
const NEW_MS = 60_000;

/** How a remote is, in a few words; `isShort`: without the age of what is wrong. */
export function stateSpan(
  { name, login, needsLogin }: HomeRemote,
  { contents, glyphs, nowMs }: DetailsRoom,
  isShort = false,
): Span {
  if (needsLogin) return span(harmless(login), 'warn');
  if (contents.asking.has(name)) return span(`checking${glyphs.ellipsis}`, 'dim');
  const known = contents.health.get(name);
  if (known === undefined) return span(harmless(login) || NOT_ASKED, 'dim');
  const when = ago(nowMs - known.askedMs);
  const isNew = nowMs - known.askedMs < NEW_MS;
  if (known.problem === undefined) {
    return span(isShort || isNew ? 'works' : `works (${when})`, 'good');
  }
  const text = known.isOffline === true ? 'not reachable' : 'failed';
  return span(isShort ? text : `${text} (${when})`, 'bad');
}

/** The tone of how a run ended: a plan only and a closed window are neither done nor failed. */
export function endTone({ exit, isTrial }: PastRun) {
  if (exit === 0) return isTrial === true ? 'dim' : 'good';
  return ENDED_BY_USER.has(exit) ? 'warn' : 'bad';
}

/** The exit codes of runs that were stopped, or whose window was closed. */
const ENDED_BY_USER: ReadonlySet<number> = new Set([130, 141, 143]);

/** How a run ended, and when; `isShort`: by its mark alone. */
export function runSpan(run: PastRun, glyphs: Glyphs, nowMs: number, isShort = false): Span {
  const tone = endTone(run);
  const marks = { good: glyphs.tick, dim: glyphs.bullet, warn: glyphs.stop, bad: glyphs.cross };
  const end = isShort || tone === 'good' ? '' : `, ${runEnd(run)}`;
  return span(`${marks[tone]} ${ago(nowMs - run.endedMs)}${end}`, tone);
}

/** The state of a running run. */
export function runningSpan(run: RunningSummary): Span {
  const { state, far, program } = run;
  const isBad = far !== undefined && far.errors > 0;
  return span(
    roughly(runningText(run)),
    isBad ? 'bad' : state === 'running' || program !== undefined ? 'good' : 'warn',
  );
}

/** What a mount still has to do. */
export function uploadSpan({ state, pending, failed }: HomeMount): Span {
  if (failed > 0) return span(`${counted(failed, 'upload')} failed`, 'bad');
  if (pending > 0) return span(`${counted(pending, 'upload')} pending`, 'warn');
  return state === 'live' ? span('live', 'good') : span(harmless(state), 'warn');
}
