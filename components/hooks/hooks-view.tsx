import { counted, figure, harmless } from '../../src/core/shown-text.ts';
import { columnWidths, inColumns } from '../../src/terminal/cells.ts';
import { POINTER_COLUMNS } from '../../src/terminal/cursor-list.ts';
import { filterField } from '../../src/terminal/list-filter.ts';
import type { Look } from '../../src/terminal/look.ts';
import { type Line, span, type Tone } from '../../src/terminal/span.ts';
import { labelled, textLines } from '../../src/terminal/text-lines.ts';
import { ago } from '../../src/terminal/time-texts.ts';
import type { HookOverview } from '../../src/webhook/control/control-client.ts';
import {
  detailLines,
  type RuleMarks,
  stateWord,
  tookText,
  WORD_MARKS,
  whyText,
} from '../../src/webhook/report/run-lines.ts';
import type { RunRecord, RunState } from '../../src/webhook/run/run-ledger.ts';
import { Menu } from '../ui/list.tsx';
import { Page } from '../ui/page.tsx';
import { shortQuestion } from '../ui/question.ts';
import { type ScreenViewProps, useLook, useRoom } from '../ui/screen.tsx';
import { Lines } from '../ui/text.tsx';
import type { HooksModel } from './hooks-model.ts';
import {
  linesBelow,
  outputLines,
  runAtCursor,
  runPlace,
  shownHooks,
  shownRuns,
} from './hooks-state.ts';

type HooksProps = ScreenViewProps<Pick<HooksModel, 'state' | 'nowMs'>>;

/** The hooks of a server, their runs, and one run. */
export function HooksView({ model }: HooksProps) {
  const { state } = model;
  const { page, hook, hooks, open, asked, runs } = state;
  const busy = hooks.reduce((sum, { running }) => sum + running, 0);
  const all = hook === undefined ? 'all runs' : harmless(hook);
  const again = runs.find(({ id }) => id === asked);
  const judged = again?.state === 'refused' ? 'Its rules decide again.' : 'Its command starts.';
  const question = `Run ${again?.hook ?? ''} again with the request of ${asked}? ${judged}`;
  const { message, connected } = state;
  // On other pages `q` goes one page back.
  const wayOut = page === 'hooks' ? 'q quits.' : 'Ctrl-C quits.';
  const gone = connected ? undefined : [span(`The server stopped. ${wayOut}`, 'bad')];
  const said = message && [span(harmless(message.text), message.bad ? 'bad' : 'accent')];
  return (
    <Page
      subject={{ hooks: '', runs: all, run: `run ${open?.id}` }[page]}
      aside={busy > 0 ? `${figure(busy)} running` : counted(hooks.length, 'hook')}
      status={said ?? gone}
      field={page === 'run' ? undefined : filterField(state)}
      pane={<Beside model={model} />}
      question={shortQuestion(asked === undefined ? '' : question, 'accent')}
    >
      {page === 'run' ? <Run model={model} /> : <Runs model={model} />}
    </Page>
  );
}

/** The request of the open run, or the run under the cursor. */
function Beside({ model: { state, nowMs } }: HooksProps) {
  const { page, open, hookAt, beside } = state;
  const look = useLook();
  const { columns, rows } = useRoom();
  if (page === 'run') {
    const lines = open?.request ?? ['loading'];
    const request = lines.flatMap((line) => textLines(line, columns));
    return <Lines lines={[[span('Request', 'heading')], ...request]} />;
  }
  const hook = page === 'hooks' ? shownHooks(state)[hookAt] : undefined;
  const run = runAtCursor(state);
  const counts = hook === undefined ? '' : countsText(hook);
  const none: readonly Line[] = [[span('no request yet', 'dim')]];
  const lines: readonly Line[] = [
    [span(harmless(hook?.id ?? run?.hook ?? ''), 'section')],
    ...(counts === '' ? [] : [[span(counts, 'warn')]]),
    [],
    ...(run === undefined ? none : factLines(run, columns, look, nowMs())),
  ];
  const output = beside?.run === run?.id ? outputLines(beside?.output ?? '', columns) : [];
  const room = rows - lines.length - 2;
  if (output.length === 0 || room < 1) return <Lines lines={lines} />;
  const head = [span(output.length > room ? 'Last lines of its output' : 'Its output', 'heading')];
  const last = output.slice(-room).map((text): Line => [span(text)]);
  return <Lines lines={[...lines, [], head, ...last]} />;
}

/** The hooks with their last runs, or runs. */
function Runs({ model: { state, nowMs } }: HooksProps) {
  const { columns, rows } = useRoom();
  const { ellipsis } = useLook().glyphs;
  const isHooks = state.page === 'hooks';
  // On the page of one hook its name is the title.
  const name = isHooks ? 'Hooks' : state.hook === undefined ? 'Runs' : '';
  const listed = isHooks
    ? shownHooks(state).map((hook) => ({ id: hook.id, run: hook.last, extra: countsText(hook) }))
    : shownRuns(state).map((run) => ({ id: name && run.hook, run, extra: '' }));
  if (listed.length === 0) {
    const none = isHooks ? 'The server has no hooks.' : 'No requests yet.';
    const text = state.filter === undefined ? none : 'Nothing matches the filter.';
    return <Lines lines={[[span(`  ${text}`, 'dim')]]} />;
  }
  // In few columns it is not said how long a run took, which has this place in a row.
  const without = columns < 48 ? 3 : -1;
  const heads = [name, ...HEADS].map((text): Line => [span(text, 'heading')]);
  const items = listed.map(({ id, run, extra }): readonly Line[] => [
    [span(harmless(id))],
    ...(run === undefined ? [[span('no request yet', 'dim')]] : runCells(run, extra, nowMs())),
  ]);
  const [head = [], ...cells] = [heads, ...items].map((row) =>
    row.filter((_, at) => at !== without),
  );
  // What is said instead of a run is as long as it is.
  const table = [head, ...cells.map((row) => (row.length > 2 ? row : row.slice(0, 1)))];
  const widths = columnWidths(table, columns - POINTER_COLUMNS);
  const lineOf = (row: readonly Line[]) => inColumns(row, widths, ellipsis);
  return (
    <Menu
      items={cells}
      head={rows < 4 ? [] : [[span(' '.repeat(POINTER_COLUMNS)), ...lineOf(head)]]}
      cursor={isHooks ? state.hookAt : runPlace(state)}
      opens
      lineOf={lineOf}
    />
  );
}

/** With blanks, so that the columns stay where they are while times change. */
const HEADS = ['state  ', 'received  ', 'took      ', ''];

/** How many runs there are besides the last one, of those worth a look. */
function countsText({ running, waiting, refused, failed, last }: HookOverview): string {
  const others = (count: number, state: RunState) => count - Number(last?.state === state);
  const counts: readonly (readonly [isShown: boolean, count: number, word: string])[] = [
    [running > 1, running, 'running'],
    [waiting > 0, waiting, 'waiting'],
    [others(refused, 'refused') > 0, refused, 'refused'],
    [others(failed, 'failed') > 0, failed, 'failed'],
  ];
  const shown = counts.filter(([isShown]) => isShown);
  return shown.map(([, count, word]) => `${figure(count)} ${word}`).join(', ');
}

function runCells(run: RunRecord, extra: string, nowMs: number): readonly Line[] {
  const [word, tone] = stateWord(run);
  const why = [extra, harmless(whyText(run))].filter((text) => text !== '').join('  ');
  return [
    [span(word, tone)],
    [span(ago(nowMs - run.receivedMs), 'dim')],
    [span(tookText(run, nowMs), 'dim')],
    [span(why, run.state === 'failed' ? 'bad' : 'plain')],
  ];
}

/** A run: what is known of it, and below its output or its request, which has at least half of the lines. */
function Run({ model: { state, nowMs } }: HooksProps) {
  const { open, runs } = state;
  const look = useLook();
  const { columns, rows, hasPane } = useRoom();
  const run = runs.find(({ id }) => id === open?.id);
  if (open === undefined || run === undefined) {
    return <Lines lines={[[span('  This run is no longer kept.', 'dim')]]} />;
  }
  const facts = factLines(run, columns, look, nowMs());
  const { isOutput, lines } = linesBelow(open, columns);
  // The request, if it was not asked for, stands beside, or gets the rows that the facts leave.
  const isBeside = !isOutput && open.below === 'output';
  if (hasPane && isBeside) return <Lines lines={facts} />;
  const head = facts.slice(0, isBeside ? rows : Math.max(1, Math.floor(rows / 2) - 1));
  const room = rows - head.length - 1;
  if (lines.length === 0 || room < 2) return <Lines lines={head} />;
  const isEnd = isOutput && open.top === 'end';
  const last = Math.max(0, lines.length - room);
  const first = open.top === 'end' ? (isOutput ? last : 0) : Math.min(open.top, last);
  const name = `${isOutput ? 'output' : 'request'}, ${counted(lines.length, 'line')}`;
  return (
    <Lines
      lines={[
        ...head,
        ...(lines.length < room ? [[]] : []),
        [span(name + (isEnd ? ', following' : ''), 'section')],
        ...lines.slice(first, first + room),
      ]}
    />
  );
}

/** What is known of a run. */
function factLines(run: RunRecord, columns: number, look: Look, nowMs: number): readonly Line[] {
  const marks = look.colour && look.glyphs.tick === '✓' ? SIGNS : WORD_MARKS;
  const toneOf = (line: string): Tone => {
    if (line.startsWith(marks.yes)) return 'good';
    return line.startsWith(marks.no) || line.startsWith(marks.error) ? 'bad' : 'dim';
  };
  return detailLines({ run }, nowMs, marks).flatMap((line) => {
    if (line.startsWith('  ')) return textLines(line, columns, toneOf(line.trimStart()));
    const [label, value] = [line.slice(0, LABEL_COLUMNS), line.slice(LABEL_COLUMNS)];
    const tone = label.startsWith('state') ? stateWord(run)[1] : 'plain';
    return labelled(label, value, LABEL_COLUMNS, columns, tone);
  });
}

/** How many columns the names of facts take. */
const LABEL_COLUMNS = 10;

const SIGNS: RuleMarks = { yes: '✓', no: '✗', error: '!', skipped: '-' };
