import { shortRunId } from '../../src/core/run-id.ts';
import { counted, harmless } from '../../src/core/shown-text.ts';
import { runEnd, runLine } from '../../src/run/history/run-text.ts';
import type { HomeContents } from '../../src/run/home-entry.ts';
import type { PastRun } from '../../src/state/runs.ts';
import { cellWidth, cutMiddle, fill } from '../../src/terminal/cells.ts';
import { menuLine, POINTER_COLUMNS } from '../../src/terminal/cursor-list.ts';
import { fieldLine } from '../../src/terminal/field-line.ts';
import { scrolledRange } from '../../src/terminal/help-lines.ts';
import { spelled } from '../../src/terminal/key-table.ts';
import { filterField } from '../../src/terminal/list-filter.ts';
import type { Glyphs } from '../../src/terminal/look.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { editText } from '../../src/terminal/text-edit.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { ago } from '../../src/terminal/time-texts.ts';
import { Menu } from '../ui/list.tsx';
import { Page, type PageProps } from '../ui/page.tsx';
import { type PageQuestion, scrollingQuestion } from '../ui/question.ts';
import { type ScreenViewProps, useLook, useRoom, useScreen } from '../ui/screen.tsx';
import { Lines, LinesIn, Paragraph } from '../ui/text.tsx';
import {
  type ActionsState,
  type AskState,
  actionsFor,
  homeItems,
  type PageState,
  type RunsState,
  rootOf,
  shownRuns,
} from './home-item.ts';
import { commandOf, shownCommand } from './home-keys.ts';
import { type DetailsRoom, HomeList, NARROW, runSpan } from './home-list.tsx';
import type { HomeModel } from './home-model.ts';
import {
  commandLines,
  itemLines,
  paneLines,
  pastRunLines,
  questionLines,
  runLines,
} from './item-details.ts';

/** The remotes, jobs and mounts, what can be done with one, and the history of runs. */
export function HomeView({
  model: { state, contents, works },
}: ScreenViewProps<Pick<HomeModel, 'state' | 'contents' | 'works'>>) {
  const { size } = useScreen();
  const look = useLook();
  const { remotes, jobs, mounts, running } = contents;
  const needs = [
    ...remotes.filter(
      ({ name, needsLogin }) => needsLogin || contents.health.get(name)?.problem !== undefined,
    ),
    ...mounts.filter(({ failed }) => failed > 0),
    ...running.filter(({ state }) => state === 'waiting'),
  ].length;
  const parts = [
    needs === 0 ? '' : `${counted(needs, 'thing')} ${needs === 1 ? 'needs' : 'need'} you`,
    remotes.length > 0 ? counted(remotes.length, 'remote') : '',
    jobs.length > 0 ? counted(jobs.length, 'job') : '',
    mounts.length > 0 ? counted(mounts.length, 'mount') : '',
    running.length > 0 ? `${running.length} running` : '',
  ];
  const aside = size.columns < 60 ? '' : parts.filter((part) => part !== '').join(', ');
  const shown = { contents, nowMs: works.nowMs(), aside };
  if (state.at !== 'sure') return <HomePage page={state} {...shown} />;
  const linesIn = (columns: number) => questionLines(state, columns);
  const question = scrollingQuestion(linesIn, state.first, 'PgUp PgDn', look);
  if (layoutOf(size, false).isWide) {
    return <HomePage page={state.back} {...shown} question={question} />;
  }
  return (
    <Page subject="Confirm" aside={aside} question={question}>
      {null}
    </Page>
  );
}

interface HomeProps<State> {
  readonly page: State;
  readonly contents: HomeContents;
  readonly nowMs: number;
}

function HomePage({
  page,
  contents,
  nowMs,
  ...common
}: HomeProps<PageState> & { readonly aside: string; readonly question?: PageQuestion }) {
  const { glyphs } = useLook();
  const { size } = useScreen();
  const shown = { contents, nowMs };
  const about = (lines: (room: DetailsRoom) => readonly Line[]) => (
    <LinesIn lines={({ columns }) => lines({ ...shown, columns, glyphs })} />
  );
  const propsOf = (): PageProps => {
    switch (page.at) {
      case 'remotes': {
        const items = homeItems(contents, page);
        return {
          status: noticeLine(page.notice) ?? remotesStatus(contents, nowMs, size),
          field: filterField(page),
          pane: about((room) => paneLines(items[page.cursor], room)),
          children: <HomeList items={items} page={page} {...shown} />,
        };
      }
      case 'actions': {
        const { item, test } = page;
        const [result, more] = testLines(test, layoutOf(size, true).inner.columns, glyphs);
        return {
          subject: harmless(rootOf(item)),
          status: more === undefined ? result : undefined,
          pane: about((room) => itemLines(item, room)),
          children: <Actions page={page} {...shown} />,
        };
      }
      case 'ask': {
        const { item, action, complaint = '' } = page;
        return {
          subject: `${harmless(rootOf(item))} ${action.label.replace('…', '')}`,
          status: complaint === '' ? undefined : [span(complaint, 'bad')],
          pane: about((room) => itemLines(item, room)),
          children: <Ask page={page} {...shown} />,
        };
      }
      case 'runs': {
        const run = shownRuns(contents, page)[page.cursor];
        return {
          subject: 'history',
          status: noticeLine(page.notice),
          field: filterField(page),
          pane: about((room) => (run === undefined ? [] : runLines(run, room))),
          children: <Runs page={page} {...shown} />,
        };
      }
      case 'run': {
        const { inner } = layoutOf(size, false);
        const lines = pastRunLines(page, contents, inner.columns);
        const status = noticeLine(page.notice);
        const rows = contentRows(inner, status === undefined ? 0 : 1);
        return {
          subject: `run ${shortRunId(page.run.id)}`,
          status,
          aside: scrolledRange(lines.length, page.first, rows) || common.aside,
          children: <Lines lines={lines} first={page.first} />,
        };
      }
    }
  };
  return <Page {...common} {...propsOf()} />;
}

function noticeLine(text: string | undefined): Line | undefined {
  return text === undefined ? undefined : [span(text, 'warn')];
}

/** What could not be read, or how the last run ended where the list may have no room for it. */
function remotesStatus({ problem, runs }: HomeContents, nowMs: number, size: Size) {
  if (problem !== undefined) return [span(harmless(problem), 'bad')];
  const [last] = runs;
  if (last === undefined || layoutOf(size, false).isWide) return undefined;
  const text = `Last run ${ago(nowMs - last.endedMs)}: ${runEnd(last)}  ${harmless(runLine(last))}`;
  return [span(text, last.exit === 0 ? 'dim' : 'warn')];
}

/** What a test of a remote came to; the status line shows one line, more are in the list. */
function testLines(test: ActionsState['test'], columns: number, glyphs: Glyphs): readonly Line[] {
  if (test === undefined) return [];
  if (test === 'running') return [[span(spelled('Testing…', glyphs), 'accent')]];
  const words = `${test.works ? glyphs.tick : glyphs.cross} ${harmless(test.text)}`;
  return textLines(words, columns, test.works ? 'good' : 'bad');
}

/** What can be done with an item, and the command line that does the same as the one under the cursor. */
function Actions({ page: { item, cursor, test }, contents, nowMs }: HomeProps<ActionsState>) {
  const { glyphs } = useLook();
  const { columns, rows, hasPane } = useRoom();
  const actions = actionsFor(item).map((one) => ({ ...one, label: spelled(one.label, glyphs) }));
  const action = actions[cursor];
  const root = rootOf(item);
  const answers = action?.asks.map(({ preset }) => preset(root) || spelled('…', glyphs)) ?? [];
  const command = action && commandOf(contents, action, root, answers);
  const result = testLines(test, columns, glyphs).slice(0, Math.max(0, rows - 3));
  const below = [
    [],
    ...(command === undefined ? [[]] : commandLines(command.words, Infinity)),
    ...(result.length > 1 ? result : []),
  ];
  const most = Math.max(1, rows - below.length);
  const left = rows - Math.min(actions.length, most);
  const about = hasPane ? [] : [[], ...itemLines(item, { contents, columns, glyphs, nowMs })];
  const lines = [...below, ...about];
  const more = span(` ${glyphs.ellipsis}`, 'dim');
  const isCut = left > below.length + 1 && left < lines.length;
  const width = Math.max(...actions.map(({ label }) => cellWidth(label)));
  return (
    <>
      <Menu
        items={actions}
        cursor={cursor}
        rows={most}
        opens
        lineOf={(item, selected) => menuLine(item, width, selected, glyphs)}
      />
      <Lines
        lines={lines.map((line, at) => (isCut && at === left - 1 ? [...line, more] : line))}
        rows={left}
      />
    </>
  );
}

/** The texts that an action needs, and the command line they make. */
function Ask({ page, contents }: HomeProps<AskState>) {
  const { glyphs } = useLook();
  const { columns } = useRoom();
  const { action, fields, field, matches = [] } = page;
  const width = Math.max(...action.asks.map(({ label }) => cellWidth(label)));
  const asked = action.asks.map(({ label, example }, at): Line => {
    const name = label.padStart(width);
    const edited = fields[at] ?? editText('');
    if (at === field)
      return fieldLine({ label: name, edited, placeholder: example }, columns, glyphs);
    const shown = edited.text === '' ? span(example, 'dim') : span(harmless(edited.text));
    return [span(`${name} `, 'plain', true), shown];
  });
  const { words } = shownCommand(contents, page, spelled('…', glyphs));
  const found = harmless(matches.slice(0, 50).join('  '));
  return (
    <Lines
      lines={[
        ...textLines(action.note, columns, 'dim'),
        [],
        ...asked,
        [],
        ...commandLines(words, columns),
        ...textLines(found, columns, 'dim'),
      ]}
    />
  );
}

function Runs({ page, contents, nowMs }: HomeProps<RunsState>) {
  const { glyphs } = useLook();
  const { columns } = useRoom();
  const runs = shownRuns(contents, page);
  const none = contents.runs.length === 0 ? 'No runs yet.' : 'No run matches the filter.';
  if (runs.length === 0) return <Paragraph text={none} tone="dim" />;
  const isShort = columns < NARROW;
  const ends = runs.map((run) => cellWidth(runSpan(run, glyphs, nowMs, isShort).text));
  const width = Math.min(Math.floor(columns / 2), Math.max(...ends));
  const lineOf = (run: PastRun) => {
    const end = runSpan(run, glyphs, nowMs, isShort);
    const text = fill(end.text, width, glyphs.ellipsis);
    const id = shortRunId(run.id);
    const room = columns - POINTER_COLUMNS - width - cellWidth(id) - 4;
    const line = harmless(runLine(run)).replace(/^syncer /, '');
    return [
      { ...end, text },
      span(`  ${id}  `, 'dim'),
      // What differs is at both ends.
      span(cutMiddle(line, Math.max(1, room), glyphs.ellipsis)),
    ];
  };
  return <Menu items={runs} cursor={page.cursor} lineOf={lineOf} opens />;
}
