import { runsOfJob } from '../../src/config/job.ts';
import { counted } from '../../src/core/counted.ts';
import { harmless } from '../../src/core/harmless.ts';
import { shortRunId } from '../../src/core/run-id.ts';
import { formatSizeUnit } from '../../src/go/byte-size.ts';
import { runEnd } from '../../src/run/history/run-text.ts';
import type { HomeContents, HomeMount, HomeRemote } from '../../src/run/home-entry.ts';
import type { RunningSummary } from '../../src/run/presence/running-run.ts';
import { runningLine, runningText } from '../../src/run/presence/running-text.ts';
import type { PastRun } from '../../src/state/runs.ts';
import { shellLine } from '../../src/system/shell-words.ts';
import { cellWidth, fill } from '../../src/terminal/cells.ts';
import { cursorLine, scrollTo } from '../../src/terminal/cursor-list.ts';
import type { FrameLine } from '../../src/terminal/frame-line.ts';
import type { Glyphs } from '../../src/terminal/look.ts';
import { type Line, type Span, span, type Tone } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { ago } from '../../src/terminal/time-texts.ts';
import { List } from '../ui/list.tsx';
import { useLook, useRoom } from '../ui/screen.tsx';
import { Lines } from '../ui/text.tsx';
import { HOME_PAGES } from './home-item.ts';

/** Below this width the columns of a section are its name and its state. */
const NARROW = 60;

/** A part of the list: its headings, and a row for each item. */
interface Section {
  /** The first is its name; empty for one that needs none. */
  readonly headings: readonly string[];
  readonly rows: readonly SectionRow[];
}

interface SectionRow {
  readonly key?: string;
  readonly cells: readonly Span[];
}

const WELCOME =
  'No remotes yet. A remote is a named place for files, such as a bucket. Press n to add one.';

interface HomeListProps {
  readonly contents: HomeContents;
  readonly cursor: number;
  readonly nowMs: number;
}

/** The first list: remotes, jobs, mounts and pages, each below its headings, with the cursor on one of them. */
export function HomeList({ contents, cursor, nowMs }: HomeListProps) {
  const { glyphs } = useLook();
  const { columns, rows, hasPane } = useRoom();
  const welcome = contents.remotes.length > 0 ? [] : textLines(WELCOME, columns, 'dim');
  const left = Math.max(1, rows - welcome.length);
  const isNarrow = columns < NARROW && !hasPane;
  const sections = [
    offerSection(contents),
    remoteSection({ contents, glyphs, nowMs }, isNarrow, hasPane),
    jobSection(contents, glyphs, nowMs),
    mountSection(contents),
    runningSection(contents, nowMs),
    PAGES,
  ].filter((section) => section.rows.length > 0);
  const all = sections.flatMap((section) => section.rows);
  const isKeyed = all.some(({ key = '' }) => key !== '');
  const names = sections.flatMap(({ headings, rows: items }) => {
    return [headings[0] ?? '', ...items.map(({ cells }) => cells[0]?.text ?? '')].map(cellWidth);
  });
  const widest = hasPane ? 16 : Math.max(16, Math.floor(columns / 4));
  const nameWidth = Math.min(widest, Math.max(...names));
  const hasGaps = all.length + 2 * sections.length - 1 <= left;
  const lines: FrameLine[] = [];
  let at = 0;
  for (const { headings, rows: items } of sections) {
    const cut = isNarrow ? 2 : undefined;
    const head = headings.slice(0, cut).map((text) => span(text, 'heading'));
    const table = [head, ...items.map(({ cells }) => cells.slice(0, cut))];
    const widths = columnWidths(table, columns).with(0, nameWidth);
    const draw = (key: string, cells: readonly Span[], isSelected: boolean) => {
      const keySpan = span(fill(key, isKeyed ? 3 : 0, ''), 'accent');
      const line = [keySpan, ...inColumns(cells, widths, glyphs)];
      return cursorLine(line, isSelected, columns, glyphs);
    };
    if (hasGaps && lines.length > 0) lines.push({ line: [] });
    if (head.length > 0) lines.push(draw('', head, false));
    for (const { key = '', cells } of items) {
      lines.push({ ...draw(key, cells.slice(0, cut), at === cursor), at });
      at++;
    }
  }
  const selected = lines.findIndex((line) => line.selected);
  const first = scrollTo(0, selected, left, lines.length);
  return (
    <>
      <Lines lines={welcome} />
      <List lines={lines.slice(first, first + left)} opens />
    </>
  );
}

/** The most columns that a cell gets, but for the last one of its row. */
function mostOf(columns: number): number {
  return Math.max(8, Math.floor(columns / 3));
}

function columnWidths(table: readonly (readonly Span[])[], columns: number): readonly number[] {
  const count = Math.max(...table.map((cells) => cells.length));
  return Array.from({ length: count }, (_, at) =>
    Math.min(mostOf(columns), Math.max(...table.map((cells) => cellWidth(cells[at]?.text ?? '')))),
  );
}

/** Cells below each other; the last one is as long as it is, and columns without any text are left out. */
function inColumns(
  cells: readonly Span[],
  widths: readonly number[],
  { ellipsis }: Pick<Glyphs, 'ellipsis'>,
): Line {
  return cells.flatMap((cell, at) => {
    const width = widths[at] ?? 0;
    if (at === widths.length - 1) return [cell];
    return width === 0 ? [] : [{ ...cell, text: fill(cell.text, width, ellipsis) }, span('  ')];
  });
}

const PAGES: Section = {
  headings: [],
  rows: HOME_PAGES.map(({ key, label, note }) => ({
    key,
    cells: [span(label), span(note, 'dim')],
  })),
};

function offerSection({ offers }: HomeContents): Section {
  const rows = offers.map(({ label, note }) => ({
    cells: [span(harmless(label)), span(harmless(note), 'dim')],
  }));
  return { headings: ['Begin with', ''], rows };
}

interface DrawnRemotes {
  readonly contents: HomeContents;
  readonly glyphs: Glyphs;
  readonly nowMs: number;
}

function remoteSection(drawn: DrawnRemotes, isNarrow: boolean, hasPane: boolean): Section {
  const { remotes, health } = drawn.contents;
  const hasUsed = remotes.some(({ name }) => health.get(name)?.used !== undefined);
  const rows = remotes.map((remote, at): SectionRow => {
    const { name, type, place } = remote;
    const state = stateSpan(remote, drawn, hasPane || isNarrow);
    const used = health.get(name)?.used;
    const key = at < 9 ? String(at + 1) : '';
    const size = span(used === undefined ? '' : formatSizeUnit(used));
    const kind = span(harmless(type), 'dim');
    const shown = isNarrow && state.text === '' ? kind : state;
    const cells = [span(harmless(name)), shown, size, kind];
    return { key, cells: hasPane ? cells : [...cells, span(harmless(place), 'dim')] };
  });
  const headings = ['Remotes', 'state', hasUsed ? 'used' : '', 'type'];
  return { headings: hasPane ? headings : [...headings, 'place'], rows };
}

/** How a remote is, in a few words; `isShort`: without the age of what is wrong. */
export function stateSpan(
  { name, login, needsLogin }: HomeRemote,
  { contents, glyphs, nowMs }: DrawnRemotes,
  isShort = false,
): Span {
  if (needsLogin) return span(harmless(login), 'warn');
  if (contents.asking.has(name)) return span(`checking${glyphs.ellipsis}`, 'dim');
  const known = contents.health.get(name);
  if (known === undefined) return span(harmless(login), 'dim');
  const when = ago(nowMs - known.askedMs);
  if (known.problem === undefined) return span(`${glyphs.tick} ${when}`, 'good');
  const [text, tone] =
    known.isOffline === true ? (['not reachable', 'dim'] as const) : (['failed', 'warn'] as const);
  return span(isShort ? text : `${text} ${when}`, tone);
}

function jobSection({ jobs, runs }: HomeContents, glyphs: Glyphs, nowMs: number): Section {
  const rows = jobs.map((job) => {
    const [last] = runsOfJob(job, runs);
    const state = last === undefined ? span('never run', 'dim') : runSpan(last, glyphs, nowMs);
    const line = span(harmless(shellLine(job.words).replace(/^syncer /, '')), 'dim');
    return { cells: [span(harmless(job.name)), state, line] };
  });
  return { headings: ['Jobs', 'last run', 'command'], rows };
}

/** The tone of how a run ended: a plan only and a closed window are neither done nor failed. */
export function endTone({ exit, isTrial }: PastRun): Tone {
  if (exit === 0) return isTrial === true ? 'dim' : 'good';
  return ENDED_BY_USER.has(exit) ? 'warn' : 'bad';
}

/** The exit codes of runs that were stopped, or whose window was closed. */
const ENDED_BY_USER: ReadonlySet<number> = new Set([130, 141, 143]);

/** How a run ended, and when. */
export function runSpan(run: PastRun, glyphs: Glyphs, nowMs: number): Span {
  const tone = endTone(run);
  const marks = { good: glyphs.tick, dim: glyphs.bullet, warn: glyphs.stop, bad: glyphs.cross };
  const mark = marks[tone as keyof typeof marks];
  const end = tone === 'good' ? '' : `, ${runEnd(run)}`;
  return span(`${mark} ${ago(nowMs - run.endedMs)}${end}`, tone);
}

function mountSection({ mounts }: HomeContents): Section {
  const rows = mounts.map((mount) => {
    const source = span(harmless(mount.source), 'dim');
    return { cells: [span(harmless(mount.mountPoint)), uploadSpan(mount), source] };
  });
  return { headings: ['Mounts', 'state', 'remote'], rows };
}

function runningSection({ running }: HomeContents, nowMs: number): Section {
  const rows = running.map((run) => {
    const since = span(ago(nowMs - run.startedMs), 'dim');
    const line = span(runningLine(run), 'dim');
    return { cells: [span(shortRunId(run.id)), runningSpan(run), since, line] };
  });
  return { headings: ['Running', 'state', 'started', 'command'], rows };
}

/** The state of a running run. */
export function runningSpan(run: RunningSummary): Span {
  const { state, far, program } = run;
  const isBad = far !== undefined && far.errors > 0;
  return span(
    runningText(run),
    isBad ? 'bad' : state === 'running' || program !== undefined ? 'good' : 'warn',
  );
}

/** What a mount still has to do. */
export function uploadSpan({ state, pending, failed }: HomeMount): Span {
  if (failed > 0) return span(`${counted(failed, 'upload')} failed`, 'bad');
  if (pending > 0) return span(`${counted(pending, 'upload')} pending`, 'warn');
  return state === 'live' ? span('live', 'good') : span(harmless(state), 'warn');
}
