import { counted, figure } from '../../src/core/counted.ts';
import { harmless } from '../../src/core/harmless.ts';
import { cellWidth, cut, fill, wrap } from '../../src/terminal/cells.ts';
import { cursorList } from '../../src/terminal/cursor-list.ts';
import { helpPage } from '../../src/terminal/help-lines.ts';
import type { Look } from '../../src/terminal/look.ts';
import type { FrameLine, ScreenFrame } from '../../src/terminal/screen-frame.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, type Span, span, type Tone } from '../../src/terminal/span.ts';
import { ago } from '../../src/terminal/time-texts.ts';
import type { HookOverview } from '../../src/webhook/control/control-protocol.ts';
import { type RuleMarks, WORD_MARKS } from '../../src/webhook/report/explanation-lines.ts';
import { detailLines, whyText } from '../../src/webhook/report/run-lines.ts';
import { stateWord, tookText } from '../../src/webhook/report/run-words.ts';
import type { RunRecord, RunState } from '../../src/webhook/run/run-record.ts';
import { hooksKeys } from './hooks-keys.ts';
import { type HooksState, runPlace, shownRuns } from './hooks-state.ts';
import { indented, linesBelow } from './output-lines.ts';

/** Lines that are left for the content. */
export function hooksRows(state: HooksState, size: Size): number {
  return contentRows(layoutOf(size, false).inner, hasStatus(state) ? 1 : 0);
}

/** The screen for a state. */
export function hooksFrame(state: HooksState, size: Size, look: Look, nowMs: number): ScreenFrame {
  const { inner, pane } = layoutOf(size, state.page !== 'keys');
  const rows = hooksRows(state, size);
  const asked = askedLines(state, inner.columns);
  const above = {
    columns: inner.columns,
    rows: Math.max(1, rows - asked.length),
    hasPane: pane > 0,
  };
  const busy = state.hooks.reduce((sum, { running }) => sum + running, 0);
  return {
    subject: subjectOf(state),
    aside: busy > 0 ? `${figure(busy)} running` : counted(state.hooks.length, 'hook'),
    lines: [
      ...linesOf(state, above, look, nowMs),
      ...asked.map((line) => ({ line, selected: false })),
    ],
    ...(state.asked === undefined ? {} : { asked }),
    ...(pane === 0 ? {} : { pane: paneLines(state, { columns: pane, rows }, look, nowMs) }),
    status: statusOf(state, size.columns, look),
    opens: state.asked === undefined,
    hints: hooksKeys(state),
  };
}

function hasStatus({ message, connected }: HooksState): boolean {
  return message !== undefined || !connected;
}

function subjectOf({ page, hook, open }: HooksState): string {
  if (page === 'runs') return hook === undefined ? 'all runs' : harmless(hook);
  return page === 'run' && open !== undefined ? `run ${open.id}` : '';
}

/** The run under the cursor, or the request of the open one. */
function paneLines(state: HooksState, room: LineRoom, look: Look, nowMs: number): readonly Line[] {
  const { columns, rows } = room;
  const { page, open } = state;
  if (page === 'run') {
    const lines = (open?.request ?? ['loading']).flatMap((line) =>
      indented(harmless(line), columns),
    );
    return [[span('Request', 'heading')], ...lines.slice(0, rows - 1).map((text) => [span(text)])];
  }
  const hook = page === 'hooks' ? state.hooks[state.hookAt] : undefined;
  const run = page === 'hooks' ? hook?.last : shownRuns(state)[runPlace(state)];
  const counts = hook === undefined ? '' : countsText(hook);
  return [
    [span(cut(harmless(hook?.id ?? run?.hook ?? ''), columns, look.glyphs.ellipsis), 'section')],
    ...(counts === '' ? [] : [[span(counts, 'warn')]]),
    [],
    ...(run === undefined
      ? [[span('no request yet', 'dim')]]
      : factLines(run, columns, look, nowMs)),
  ];
}

function linesOf(
  state: HooksState,
  room: LineRoom,
  look: Look,
  nowMs: number,
): readonly FrameLine[] {
  const { columns } = room;
  if (state.page === 'keys')
    return helpPage(hooksKeys({ ...state, page: state.before }), 0, room, look);
  if (state.page === 'run') {
    return runPageLines(state, room, look, nowMs).map((line) => ({ line, selected: false }));
  }
  const isHooks = state.page === 'hooks';
  const cursor = isHooks ? state.hookAt : runPlace(state);
  const listed = isHooks
    ? state.hooks.map((hook) => ({ name: hook.id, run: hook.last, extra: countsText(hook) }))
    : shownRuns(state).map((run) => ({ name: run.hook, run, extra: '' }));
  if (listed.length === 0) {
    const text = isHooks ? 'The server has no hooks.' : 'No requests yet.';
    return [{ line: [span(`  ${text}`, 'dim')], selected: false }];
  }
  const width = idWidth(
    listed.map(({ name }) => name),
    columns,
  );
  return cursorList(listed, cursor, room, look.glyphs, (one) =>
    rowSpans({ ...one, width }, look, nowMs),
  );
}

function idWidth(names: readonly string[], columns: number): number {
  const longest = Math.max(4, ...names.map((name) => cellWidth(harmless(name))));
  return Math.min(longest, Math.max(8, Math.floor(columns / 3)));
}

/** How many runs there are besides the last one, of those worth a look. */
function countsText({ running, waiting, refused, failed, last }: HookOverview): string {
  const others = (count: number, state: RunState) => count - Number(last?.state === state);
  const parts = [
    running > 1 ? `${figure(running)} running` : '',
    waiting > 0 ? `${figure(waiting)} waiting` : '',
    others(refused, 'refused') > 0 ? `${figure(refused)} refused` : '',
    others(failed, 'failed') > 0 ? `${figure(failed)} failed` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function rowSpans(
  row: { name: string; run: RunRecord | undefined; extra: string; width: number },
  { glyphs }: Look,
  nowMs: number,
): Span[] {
  const { name, run, extra, width } = row;
  const id = span(`${fill(harmless(name), width, glyphs.ellipsis)}  `);
  if (run === undefined) return [id, span('no request yet', 'dim')];
  const [word, tone] = stateWord(run);
  const when = fill(ago(nowMs - run.receivedMs), 11);
  const why = [extra, harmless(whyText(run))].filter((text) => text !== '').join('  ');
  return [
    id,
    span(`${fill(word, 9)} `, tone),
    span(`${when} ${fill(tookText(run, nowMs), 9)} `, 'dim'),
    span(why, run.state === 'failed' ? 'bad' : 'plain'),
  ];
}

/** On other pages `q` goes one page back. */
function wayOut({ page }: HooksState): string {
  return page === 'hooks' ? 'q quits.' : 'Ctrl-C quits.';
}

/** Whether to run a run again, below what is shown. */
function askedLines({ asked, runs }: HooksState, columns: number): readonly Line[] {
  if (asked === undefined) return [];
  const run = runs.find(({ id }) => id === asked);
  const text = `Run ${harmless(run?.hook ?? '')} again with the request of ${asked}?`;
  return wrap(text, columns).map((line) => [span(line, 'accent')]);
}

function statusOf(state: HooksState, columns: number, { glyphs }: Look): Line | undefined {
  if (!hasStatus(state)) return undefined;
  const { message } = state;
  const text = message?.text ?? `The server stopped. ${wayOut(state)}`;
  const bad = message?.bad ?? true;
  return [span(cut(harmless(text), columns, glyphs.ellipsis), bad ? 'bad' : 'accent')];
}

/** The room for lines. */
interface LineRoom {
  readonly columns: number;
  readonly rows: number;
  /** The request of a run stands beside it. */
  readonly hasPane?: boolean;
}

/** A run: what is known of it, and below its output or its request, which has at least half of the lines. */
function runPageLines(
  state: HooksState,
  { columns, rows, hasPane = false }: LineRoom,
  look: Look,
  nowMs: number,
): Line[] {
  const { open } = state;
  const run = state.runs.find(({ id }) => id === open?.id);
  if (open === undefined || run === undefined)
    return [[span('  This run is no longer kept.', 'dim')]];
  const facts = factLines(run, columns, look, nowMs);
  const { isOutput, lines } = linesBelow(open, columns);
  if (hasPane && !isOutput && open.below === 'output') return facts.slice(0, rows);
  // The request, if it was not asked for, gets the rows that the facts leave.
  const isBeside = !isOutput && open.below === 'output';
  const most = isBeside ? rows : Math.max(1, Math.floor(rows / 2) - 1);
  const head = facts.slice(0, most);
  if (lines.length === 0 || rows - head.length < 3) return head;
  const room = Math.max(1, rows - head.length - 1);
  const last = Math.max(0, lines.length - room);
  const isEnd = open.top === 'end';
  const first = open.top === 'end' ? (isOutput ? last : 0) : Math.min(open.top, last);
  const shown = lines.slice(first, first + room).map((line): Line => [span(line)]);
  const place = `${isOutput ? 'output' : 'request'}, ${counted(lines.length, 'line')}${isOutput && isEnd ? ', following' : ''}`;
  return [...head, [span(place, 'section')], ...shown];
}

/** What is known of a run. */
function factLines(run: RunRecord, columns: number, look: Look, nowMs: number): Line[] {
  const marks = look.colour && look.glyphs.tick === '✓' ? SIGNS : WORD_MARKS;
  return detailLines({ run }, nowMs, marks).flatMap((line) => {
    const tone = line.startsWith('  ') ? toneOf(line.trimStart(), marks) : 'dim';
    return indented(line, columns).map((text): Line => [span(text, tone)]);
  });
}

const SIGNS: RuleMarks = { yes: '✓', no: '✗', error: '!', skipped: '-' };

function toneOf(line: string, { yes, no, error }: RuleMarks): Tone {
  if (line.startsWith(yes)) return 'good';
  return line.startsWith(no) || line.startsWith(error) ? 'bad' : 'dim';
}
