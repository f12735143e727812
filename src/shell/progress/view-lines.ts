import { counted, figure, harmless } from '../../core/shown-text.ts';
import { type ActionScreen, showsFound } from '../../terminal/action-screen.ts';
import { shareLine, spark } from '../../terminal/bar.ts';
import { cellWidth, cut, cutMiddle, fitLine, lineWidth } from '../../terminal/cells.ts';
import { ENLARGE } from '../../terminal/drawn-question.ts';
import { fieldLine } from '../../terminal/field-line.ts';
import { fitParts, part, separated } from '../../terminal/fit-parts.ts';
import { footerLine } from '../../terminal/footer-line.ts';
import { scrolled } from '../../terminal/help-lines.ts';
import { footerKeys } from '../../terminal/key-table.ts';
import type { Look } from '../../terminal/look.ts';
import { contentRows, layoutOf } from '../../terminal/screen-layout.ts';
import type { Size } from '../../terminal/screen-model.ts';
import { type Line, span } from '../../terminal/span.ts';
import { textLines } from '../../terminal/text-lines.ts';
import { type Failures, failureText } from './failures.ts';
import {
  currentRate,
  elapsedMs,
  type ProgressState,
  runSecondsLeft,
  totalBytes,
  totalChecks,
  totalTransfers,
} from './progress-state.ts';
import { rowLines, type ViewStyle } from './row-lines.ts';
import { shortRate, shortSize, shortTime } from './short-size.ts';
import { type ViewedRun, type ViewMode, viewKeys } from './view-keys.ts';
import { settledSecondsLeft, type ViewState } from './view-state.ts';

/** What of the run a person has changed by keys. */
export interface ViewControls extends ViewedRun {
  /** There are keys at all: standard input is a terminal, and nothing else reads it. */
  readonly hasKeys: boolean;
  readonly mode: ViewMode;
  /** Its keys, with what `:` and `?` show. */
  readonly screen: Pick<
    ActionScreen<void>,
    'finding' | 'foundLines' | 'helpFrom' | 'helpLines' | 'keys' | 'searchLine'
  >;
  readonly isPaused: boolean;
  /** Transfers at once; 0 while that is unknown. */
  readonly width: number;
  /** In bytes a second, where there is one or a key has lifted it. */
  readonly limit: number | undefined;
  /** Shown instead of the run's bar and figures: a run of which this process does a part at most. */
  readonly overview?: readonly Line[];
  /** Of the process, in bytes; absent without a limit. */
  readonly memory?: { readonly used: number; readonly limit: number };
}

/** More rows than this are no longer read, and each costs its drawing. */
const MOST_ROWS = 10;

/** What is drawn, and how. */
interface Drawn {
  readonly state: ProgressState;
  readonly view: ViewState;
  readonly controls: ViewControls;
  readonly style: ViewStyle;
  readonly nowMs: number;
}

/** The view of a run, line by line, at most one less than the terminal has. Changes which row shows which transfer. */
export function viewLines(
  state: ProgressState,
  view: ViewState,
  controls: ViewControls,
  style: ViewStyle,
  nowMs: number,
): Line[] {
  const { size, look } = style;
  const drawn = { state, view, controls, style, nowMs };
  const total = totalBytes(state);
  const head = overviewLines(drawn) ?? [
    shareLine(total > 0 ? state.bytes / total : undefined, size.columns, look.glyphs),
    amountLine(drawn),
    countLine(drawn),
  ];
  const open = openOf(controls);
  const trouble = troubleLines(drawn, open !== 'errors');
  const keys = keyLines(drawn);
  const most = Math.max(1, size.rows - 1);
  const list = listLines(drawn, Math.max(0, most - keys.length));
  if (list === undefined) {
    const others = head.length + trouble.length + keys.length;
    const room = Math.max(0, Math.min(MOST_ROWS, size.rows - 1 - others));
    const rows = rowLines(state, view, style, room, nowMs, controls.isPaused);
    const above = [...head, ...rows, ...trouble];
    if (open !== 'run') return [...above, ...keys].slice(-most);
    // Two lines of figures have room before the keys; all others come after them.
    const shown = above.slice(0, Math.max(2, most - keys.length));
    return [...shown, ...keys].slice(0, most);
  }
  const figures = head.slice(0, Math.max(0, most - keys.length - list.length));
  const above = figures.length + list.length + keys.length;
  return [...figures, ...list, ...trouble.slice(0, Math.max(0, most - above)), ...keys];
}

/** At most `most` lines of the list that is open; `undefined`: none is. What its keys may scroll to is noted in `view`. */
function listLines(
  { state, view, controls, style: { size, look } }: Drawn,
  most: number,
): readonly Line[] | undefined {
  const { mode, screen } = controls;
  const rows = Math.min(MOST_ROWS, most);
  if (screen.helpFrom !== undefined) {
    const lines = screen
      .helpLines(size.columns, look)
      .map((line) => fitLine(line, size.columns, look.glyphs.ellipsis));
    const room = Math.min(most, contentRows(layoutOf(size, false).inner));
    return scrolled(lines, screen.helpFrom, room);
  }
  if (screen.finding !== undefined) {
    if (!showsFound(size)) return [];
    return screen.foundLines({ ...size, rows }, look.glyphs).map(({ line }) => line);
  }
  if (mode.kind !== 'errors') return undefined;
  const lines = failureLines(state.failures, size.columns, look);
  view.lastFirst = Math.max(0, lines.length - rows);
  return scrolled(lines, mode.first, rows);
}

/** What is shown instead of the transfers, or below them. */
function openOf({ screen, mode }: ViewControls): ViewMode['kind'] | 'help' | 'actions' {
  if (screen.helpFrom !== undefined) return 'help';
  return screen.finding === undefined ? mode.kind : 'actions';
}

/** The overview; its first line says that the run is paused. One of several lines says itself that the run is stopping. */
function overviewLines({ controls, style: { size, look } }: Drawn): readonly Line[] | undefined {
  const { overview, isPaused, isStopping } = controls;
  const [first, ...others] = overview ?? [];
  const word = isPaused ? 'paused' : isStopping && others.length === 0 ? 'stopping' : '';
  if (first === undefined || word === '') return overview;
  const line = [span(`${word}  `, 'warn', true), ...first];
  return [fitLine(line, size.columns, look.glyphs.ellipsis), ...others];
}

function amountLine({ state, view, controls, style, nowMs }: Drawn): Line {
  const { isPaused, isStopping, limit } = controls;
  const { size, look, unit } = style;
  const { glyphs } = look;
  // Of one file its row says it at once.
  const isOneFile = state.active.size === 1 && totalTransfers(state) === 1;
  const left =
    settledSecondsLeft(view.end, nowMs) ??
    (isOneFile && state.ticks > 0 ? runSecondsLeft(state, nowMs) : undefined);
  const limited =
    limit === undefined || limit === Infinity ? '' : ` (limit ${shortRate(limit, unit)})`;
  const fitted = (limitText: string, graphColumns: number, columns: number) =>
    fitParts(
      [
        part(1, `${shortSize(state.bytes)} of ${shortSize(totalBytes(state))}`, 'plain', true),
        ...(isStopping ? [part(0, 'stopping', 'warn', true)] : []),
        isPaused
          ? part(0, 'paused', 'warn', true)
          : part(2, shortRate(currentRate(state, nowMs), unit) + limitText, 'accent', true),
        part(4, spark(view.history, graphColumns, glyphs), 'bar'),
        part(3, isPaused ? '' : `ETA ${left === undefined ? '-' : shortTime(left)}`),
      ],
      columns,
      ' '.repeat(2),
    );
  const graphs = size.columns >= 72 ? [20, 8] : [8];
  for (const graph of graphs) {
    const whole = fitted(limited, graph, Number.POSITIVE_INFINITY);
    if (lineWidth(whole) <= size.columns) return whole;
  }
  return fitted('', graphs[0] ?? 0, size.columns);
}

function countLine({ state, view, controls, style: { size, look }, nowMs }: Drawn): Line {
  const { memory } = controls;
  const inMib = (bytes: number) => figure(Math.round(bytes / 1024 ** 2));
  const checks = totalChecks(state);
  const { transfers, deletedFiles, deletedDirs, renames, serverCopyBytes } = state;
  const dirs = deletedDirs === 0 ? '' : ` and ${counted(deletedDirs, 'directory')}`;
  return separated(size.columns, look.glyphs, [
    part(0, `files ${figure(transfers)} of ${figure(totalTransfers(state))}`),
    part(2, checks === 0 ? '' : `checks ${figure(state.checks)} of ${figure(checks)}`),
    part(3, deletedFiles + deletedDirs === 0 ? '' : `deleted ${figure(deletedFiles)}${dirs}`),
    part(4, renames === 0 ? '' : `renamed ${figure(renames)}`),
    part(4, serverCopyBytes === 0 ? '' : `server copied ${shortSize(serverCopyBytes)}`),
    part(1, shortTime(elapsedMs(state, nowMs) / 1000), 'dim'),
    part(3, view.isListing ? `listing, ${counted(state.listed, 'entry')}` : ''),
    part(5, memory === undefined ? '' : `mem ${inMib(memory.used)}/${inMib(memory.limit)}M`, 'dim'),
  ]);
}

function troubleLines({ state, view, style, nowMs }: Drawn, withLast: boolean): Line[] {
  const { size, look } = style;
  const { glyphs } = look;
  const lines: Line[] = [];
  const { setback, throttled, retried } = view;
  // It is shown for 5 s after the wait it asked for.
  if (setback !== undefined && nowMs < setback.untilMs + 5000) {
    const wait = Math.max(0, setback.untilMs - nowMs);
    const waits = wait > 0 ? `, waiting ${(wait / 1000).toFixed(1)} s` : '';
    const about = [setback.cause, setback.what].filter((text) => text !== '').join(': ');
    const [word, times] =
      setback.why === 'throttled' ? ['throttled', throttled] : ['retries', retried];
    const text = `! ${word} (${figure(times)}${waits}): ${harmless(about)}`;
    lines.push([span(cut(text, size.columns, glyphs.ellipsis), 'warn')]);
  }
  const { byCause, last } = state.failures;
  if (last !== undefined && withLast) {
    const count = byCause.size === 1 ? '' : `${counted(state.errors, 'error')}, the last: `;
    const text = `${glyphs.cross} ${count}${failureText(last)}`;
    lines.push([span(cut(text, size.columns, glyphs.ellipsis), 'bad')]);
  }
  return lines;
}

function keyLines({ state, controls, style: { size, look } }: Drawn): Line[] {
  const { hasKeys, mode, screen, isPaused, isStopping, width } = controls;
  const { glyphs } = look;
  const open = openOf(controls);
  if (!hasKeys) return [];
  if (!openFits(mode, controls, size) || (open === 'actions' && !showsFound(size))) {
    return textLines(ENLARGE, size.columns, 'warn').slice(0, Math.max(1, size.rows - 1));
  }
  if (open === 'actions') return [screen.searchLine(size.columns, glyphs)];
  if (open === 'limit') return limitLines(mode, size.columns, look);
  if (open === 'stop') return stopLines(controls, size.columns);
  if (isStopping && open === 'run') {
    const how = controls.attachedTo === undefined ? 'Ctrl-C stops now' : 'q detaches';
    const doing = 'finishing the current files';
    // Large files are resumed where the remote can; how much of them is known there is not.
    let begun = 0;
    for (const { kind, bytes } of controls.attachedTo === undefined ? state.active.values() : []) {
      if (kind !== 'check') begun += bytes;
    }
    const again = `: up to ${shortSize(begun)} would be sent again`;
    const texts = [
      ...(begun > 0 ? [`${doing}; ${how}${again}`, `${how}${again}`] : []),
      `${doing}; ${how}`,
    ];
    const text = texts.find((one) => cellWidth(one) <= size.columns) ?? `${how}; ${doing}`;
    return [[span(cut(text, size.columns, glyphs.ellipsis), 'warn')]];
  }
  const words: Readonly<Record<string, string>> = {
    p: isPaused ? 'resume' : 'pause',
    '+': width > 0 ? `${width} in parallel` : 'transfers',
  };
  const hasErrors = state.failures.byCause.size > 0 || open === 'errors';
  const hints = screen
    .keys()
    .filter(({ keys }) => keys !== 'e' || hasErrors)
    .map((hint) => ({ ...hint, does: words[hint.keys] ?? hint.does }));
  return [footerLine(hints, size.columns, glyphs)];
}

/** Columns for what is typed into a field, at least. */
const TYPED_COLUMNS = 8;

/** Whether a window has room for the question or the field that is open: only then keys answer it. */
export function openFits({ kind }: ViewMode, run: ViewedRun, { columns, rows }: Size): boolean {
  if (kind === 'stop') return stopLines(run, columns).length < rows;
  return kind !== 'limit' || columns > cellWidth(LIMIT) + TYPED_COLUMNS;
}

const LIMIT = 'limit:';

/** The field of a limit; what is wrong with it stands beside it, or above it where that has no room. */
function limitLines(mode: ViewMode, columns: number, { glyphs }: Look): Line[] {
  if (mode.kind !== 'limit') return [];
  const { edited, complaint = '' } = mode;
  const field = { label: LIMIT, edited, placeholder: '500k, 10M, off' };
  const room = columns - cellWidth(complaint) - 2;
  if (complaint !== '' && room > cellWidth(LIMIT) + TYPED_COLUMNS)
    return [[...fieldLine(field, room, glyphs), span(`  ${complaint}`, 'bad')]];
  const above = complaint === '' ? [] : textLines(complaint, columns, 'bad');
  return [...above, fieldLine(field, columns, glyphs)];
}

function stopLines(run: ViewedRun, columns: number): Line[] {
  const keys = footerKeys(viewKeys('stop', { ...run, isAsked: true }))
    .map((hint) => `${hint.keys} ${hint.does}`)
    .join(', ');
  const question = `stop ${harmless(run.attachedTo ?? '')}?`;
  const line: Line = [span(`${question}  `, 'warn', true), span(keys, 'dim')];
  if (lineWidth(line) <= columns) return [line];
  return [...textLines(question, columns, 'warn', true), ...textLines(keys, columns, 'dim')];
}

/** The errors of a run as lines: each cause with its number, and below it the files. */
function failureLines(failures: Failures, columns: number, { glyphs }: Look): Line[] {
  const lines = [...failures.byCause.values()].flatMap((failure): Line[] => {
    const { count, paths } = failure;
    const head = `${glyphs.cross} ${failureText(failure)}`;
    const shown = (count > 1 ? paths : []).map((path): Line => {
      const name = cutMiddle(harmless(path), Math.max(1, columns - 4), glyphs.ellipsis);
      return [span(`    ${name}`)];
    });
    const more = count > 1 && paths.length > 0 ? count - paths.length : 0;
    return [
      [span(cut(head, columns, glyphs.ellipsis), 'bad')],
      ...shown,
      ...(more > 0 ? [[span(cut(`    and ${figure(more)} more`, columns), 'dim')]] : []),
    ];
  });
  return lines.length > 0 ? lines : [[span('  No errors.', 'dim')]];
}
