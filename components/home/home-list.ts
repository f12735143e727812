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
import type { Glyphs, Look } from '../../src/terminal/look.ts';
import type { FrameLine } from '../../src/terminal/screen-frame.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, type Span, span } from '../../src/terminal/span.ts';
import { ago } from '../../src/terminal/time-texts.ts';
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
  readonly key: string;
  readonly cells: readonly Span[];
}

/** The first list: remotes, jobs, mounts and pages, each below its headings, with the cursor on one of them. */
export function listLines(
  contents: HomeContents,
  cursor: number,
  { columns, rows }: Size,
  { glyphs }: Look,
  nowMs: number,
  hasPane: boolean,
): readonly FrameLine[] {
  const isNarrow = columns < NARROW && !hasPane;
  const sections = [
    offerSection(contents),
    remoteSection(contents, isNarrow, hasPane, glyphs, nowMs),
    jobSection(contents, isNarrow, glyphs, nowMs),
    mountSection(contents, isNarrow),
    runningSection(contents, isNarrow, nowMs),
    PAGES,
  ].filter((section) => section.rows.length > 0);
  const keyed = sections.some((section) => section.rows.some(({ key }) => key !== ''));
  const names = sections.flatMap(({ headings: [name = ''], rows: entries }) => {
    return [name, ...entries.map(({ cells }) => cells[0]?.text ?? '')].map(cellWidth);
  });
  const nameWidth = Math.min(
    hasPane ? 16 : Math.max(16, Math.floor(columns / 4)),
    Math.max(...names),
  );
  const items = sections.reduce((sum, section) => sum + section.rows.length, 0);
  const hasGaps = items + 2 * sections.length - 1 <= rows;
  const lines: FrameLine[] = [];
  let at = 0;
  for (const { headings, rows: entries } of sections) {
    if (hasGaps && lines.length > 0) lines.push({ line: [span(' ')] });
    const head = headings.map((text) => span(text, 'heading'));
    const widths = columnWidths([head, ...entries.map(({ cells }) => cells)], columns).with(
      0,
      nameWidth,
    );
    const isNamed = headings.some((text) => text !== '');
    const keys = keyed ? 3 : 0;
    const draw = (key: string, cells: readonly Span[], selected: boolean): FrameLine => {
      const line: Line = [span(fill(key, keys, ''), 'accent'), ...inColumns(cells, widths, glyphs)];
      return cursorLine(line, selected, columns, glyphs);
    };
    if (isNamed) lines.push(draw('', head, false));
    for (const { key, cells } of entries) {
      lines.push({ ...draw(key, cells, at === cursor), at });
      at++;
    }
  }
  const first = scrollTo(
    0,
    lines.findIndex(({ selected }) => selected),
    rows,
    lines.length,
  );
  return lines.slice(first, first + rows);
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
  const rows = offers.map(({ label, note }) => {
    return { key: '', cells: [span(harmless(label)), span(harmless(note), 'dim')] };
  });
  return { headings: ['Begin with', ''], rows };
}

function remoteSection(
  contents: HomeContents,
  isNarrow: boolean,
  hasPane: boolean,
  glyphs: Glyphs,
  nowMs: number,
): Section {
  const { remotes, health } = contents;
  const hasUsed = remotes.some(({ name }) => health.get(name)?.used !== undefined);
  const rows = remotes.map((remote, at): SectionRow => {
    const { name, type, place } = remote;
    const state = stateSpan(contents, remote, glyphs, nowMs, hasPane || isNarrow);
    const used = health.get(name)?.used;
    const key = at < 9 ? String(at + 1) : '';
    const shown = harmless(name);
    if (isNarrow) {
      return { key, cells: [span(shown), state.text === '' ? span(harmless(type), 'dim') : state] };
    }
    const size = used === undefined ? '' : formatSizeUnit(used);
    const cells = [span(shown), state, span(size), span(harmless(type), 'dim')];
    return { key, cells: hasPane ? cells : [...cells, span(harmless(place), 'dim')] };
  });
  const all = ['Remotes', 'state', hasUsed ? 'used' : '', 'type', 'place'];
  const headings = hasPane ? all.slice(0, -1) : all;
  return { headings: isNarrow ? ['Remotes', 'state'] : headings, rows };
}

/** How a remote is, in a few words; `isShort`: without the age of what is wrong. */
export function stateSpan(
  { health, asking }: Pick<HomeContents, 'health' | 'asking'>,
  { name, login, needsLogin }: HomeRemote,
  { tick, ellipsis }: Glyphs,
  nowMs: number,
  isShort = false,
): Span {
  if (needsLogin) return span(harmless(login), 'warn');
  if (asking.has(name)) return span(`checking${ellipsis}`, 'dim');
  const known = health.get(name);
  if (known === undefined) return span(harmless(login), 'dim');
  const when = ago(nowMs - known.askedMs);
  if (known.problem === undefined) return span(`${tick} ${when}`, 'good');
  const [text, tone] =
    known.isOffline === true ? (['not reachable', 'dim'] as const) : (['failed', 'warn'] as const);
  return span(isShort ? text : `${text} ${when}`, tone);
}

function jobSection(
  { jobs, runs }: HomeContents,
  isNarrow: boolean,
  glyphs: Glyphs,
  nowMs: number,
): Section {
  const rows = jobs.map((job): SectionRow => {
    const [last] = runsOfJob(job, runs);
    const state = last === undefined ? span('never run', 'dim') : runSpan(last, glyphs, nowMs);
    const line = span(harmless(shellLine(job.words).replace(/^syncer /, '')), 'dim');
    const cells = [span(harmless(job.name)), state];
    return { key: '', cells: isNarrow ? cells : [...cells, line] };
  });
  const headings = ['Jobs', 'last run', 'command'];
  return { headings: isNarrow ? headings.slice(0, 2) : headings, rows };
}

/** How a run ended, and when. */
export function runSpan(run: PastRun, { tick, cross }: Glyphs, nowMs: number): Span {
  const when = ago(nowMs - run.endedMs);
  return run.exit === 0
    ? span(`${tick} ${when}`, 'good')
    : span(`${cross} ${when}, ${runEnd(run)}`, 'bad');
}

function mountSection({ mounts }: HomeContents, isNarrow: boolean): Section {
  const rows = mounts.map((mount): SectionRow => {
    const cells = [span(harmless(mount.mountPoint)), uploadSpan(mount)];
    const source = span(harmless(mount.source), 'dim');
    return { key: '', cells: isNarrow ? cells : [...cells, source] };
  });
  const headings = ['Mounts', 'state', 'remote'];
  return { headings: isNarrow ? headings.slice(0, 2) : headings, rows };
}

function runningSection({ running }: HomeContents, isNarrow: boolean, nowMs: number): Section {
  const rows = running.map((run): SectionRow => {
    const line = span(runningLine(run), 'dim');
    const cells = [span(shortRunId(run.id)), runningSpan(run)];
    const since = span(ago(nowMs - run.startedMs), 'dim');
    return { key: '', cells: isNarrow ? cells : [...cells, since, line] };
  });
  const headings = ['Running', 'state', 'started', 'command'];
  return { headings: isNarrow ? headings.slice(0, 2) : headings, rows };
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
