import { harmless } from '../../src/core/harmless.ts';
import { shownCommand } from '../../src/home/ask-keys.ts';
import { actionsFor, commandOf, shellLine } from '../../src/home/home-actions.ts';
import type { HomeContents, HomeRemote } from '../../src/home/home-entry.ts';
import { homeKeys, MENU_TAIL } from '../../src/home/home-keys.ts';
import type { HomeModel } from '../../src/home/home-model.ts';
import type { AskView, HomeView, RunView } from '../../src/home/home-view.ts';
import { canPlan, type PastRun } from '../../src/home/past-run.ts';
import { ago, runEnd, runSum } from '../../src/home/run-text.ts';
import { cellWidth, cut } from '../../src/screen/cells.ts';
import { spelled } from '../../src/screen/key-table.ts';
import type { Glyphs } from '../../src/screen/look.ts';
import { type Line, span } from '../../src/screen/span.ts';
import { editText } from '../../src/screen/text-edit.ts';
import { took } from '../../src/screen/took.ts';
import { KeyHelp } from '../shared/key-help.tsx';
import { useLook } from '../shared/look-context.tsx';
import { Menu, type MenuItem } from '../shared/menu.tsx';
import { Page, pageRows } from '../shared/page.tsx';
import { Paragraph } from '../shared/paragraph.tsx';
import { Row } from '../shared/row.tsx';
import type { ViewProps } from '../shared/screen-root.tsx';
import { TextField } from '../shared/text-field.tsx';

/** The home screen: remotes, what can be done with each, and the history. */
export function HomeScreen({ model, size }: ViewProps<HomeModel>) {
  const { contents, state: view } = model;
  const { glyphs } = useLook();
  const status = statusOf(view, size.columns, glyphs);
  const rows = pageRows(size, status !== undefined);
  return (
    <Page
      size={size}
      title=""
      subject={subjectOf(view)}
      status={status}
      hints={homeKeys(contents, view)}
    >
      <Content contents={contents} view={view} columns={size.columns} rows={rows} />
    </Page>
  );
}

/** What is wrong with the answers, or what a test of a remote came to. */
function statusOf(view: HomeView, columns: number, glyphs: Glyphs): Line | undefined {
  if (view.at === 'ask' && view.complaint !== undefined) return [span(view.complaint, 'bad')];
  if (view.at !== 'actions' || view.test === undefined) return undefined;
  const { test } = view;
  if (test === 'running') return [span(spelled('Testing…', glyphs), 'accent')];
  const text = `${test.works ? glyphs.tick : glyphs.cross} ${harmless(test.text)}`;
  return [span(cut(text, columns, glyphs.ellipsis), test.works ? 'good' : 'bad')];
}

/** A part of the screen: one of its views, and the room for it. */
interface PartProps<View extends HomeView = HomeView> {
  readonly contents: HomeContents;
  readonly view: View;
  readonly columns: number;
  readonly rows: number;
}

function Content({ contents, view, columns, rows }: PartProps) {
  const room = { contents, columns, rows };
  switch (view.at) {
    case 'remotes':
      return <RemoteMenu {...room} view={view} />;
    case 'actions':
      return <ActionMenu {...room} view={view} />;
    case 'ask':
      return <AskForm {...room} view={view} />;
    case 'runs':
      return <RunList {...room} view={view} />;
    case 'run':
    case 'again':
      return <RunDetails {...room} view={view} />;
    case 'keys':
      return <KeyHelp {...room} hints={homeKeys(contents, view.back)} first={view.first} />;
  }
}

function subjectOf(view: HomeView): string {
  switch (view.at) {
    case 'remotes':
      return 'remotes';
    case 'actions':
      return `${view.remote.name}:`;
    case 'ask':
      return `${view.remote.name}: ${view.action.label.replace('…', '')}`;
    case 'runs':
      return 'history';
    case 'run':
      return 'a run';
    case 'again':
      return 'run again?';
    case 'keys':
      return 'keys';
  }
}

/** The history, the newest first. */
function RunList({
  contents: { runs },
  view,
  columns,
  rows,
}: PartProps<HomeView & { at: 'runs' }>) {
  if (runs.length === 0) {
    return <Paragraph text="No runs yet." columns={columns} tone="dim" />;
  }
  const nowMs = Date.now();
  const items = runs.map((run) => ({
    key: run.exit === 0 ? '' : '!',
    label: `${ago(nowMs - run.endedMs)}, ${runEnd(run)}`,
    note: harmless(shellLine(run.words)),
  }));
  return <Menu items={items} cursor={view.cursor} columns={columns} rows={rows} />;
}

/** One run: its command line, how it ended, and what it did. */
function RunDetails({ view: { at, run }, columns }: PartProps<RunView>) {
  const ended = new Date(run.endedMs);
  return (
    <>
      <Paragraph text={`$ ${harmless(shellLine(run.words))}`} columns={columns} tone="accent" />
      <Paragraph text={`in ${harmless(run.dir)}`} columns={columns} tone="dim" />
      <Row line={[span(' ')]} />
      <Paragraph
        text={`${run.exit === 0 ? 'done' : `exit code ${run.exit}`} at ${ended.toLocaleString('sv-SE')}, after ${took(run.tookMs)}`}
        columns={columns}
        tone={run.exit === 0 ? 'good' : 'bad'}
      />
      <Paragraph text={runSum(run)} columns={columns} />
      {run.error === undefined ? null : (
        <Paragraph text={harmless(run.error)} columns={columns} tone="bad" />
      )}
      {at === 'run' ? null : (
        <>
          <Row line={[span(' ')]} />
          <Paragraph text={againText(run)} columns={columns} tone="warn" />
        </>
      )}
    </>
  );
}

/** The question whether to run a command line again. */
function againText(run: PastRun): string {
  const plan = canPlan(run) ? ' p shows the plan first.' : '';
  return `Run it again now? y/n.${plan} Last time: ${runSum(run)}.`;
}

/** What can be done with a remote, and the command line that does the same as the one under the cursor. */
function ActionMenu({ contents, view, columns, rows }: PartProps<HomeView & { at: 'actions' }>) {
  const { remote, cursor } = view;
  const { glyphs } = useLook();
  const actions = actionsFor(remote);
  const action = actions[cursor];
  const answers = action?.asks.map((ask) => ask.preset(remote.name) || spelled('…', glyphs));
  const preview = action && commandOf(action, remote.name, answers ?? [], contents);
  const items = actions.map((one) => ({ ...one, label: spelled(one.label, glyphs) }));
  const line = preview === undefined ? '' : `$ ${harmless(shellLine(preview.words))}`;
  return (
    <>
      <Menu items={items} cursor={cursor} columns={columns} rows={Math.max(1, rows - 2)} />
      <Row line={[span(' ')]} />
      <Row line={[span(cut(line, columns, glyphs.ellipsis), 'accent')]} />
    </>
  );
}

/** The texts that an action needs, and the command line they make. */
function AskForm({ contents, view, columns }: PartProps<AskView>) {
  const { glyphs } = useLook();
  const { action, fields, field, matches = [] } = view;
  const width = Math.max(...action.asks.map(({ label }) => cellWidth(label)));
  const { words } = shownCommand(contents, view, spelled('…', glyphs));
  return (
    <>
      <Paragraph text={action.note} columns={columns} tone="dim" />
      <Row line={[span(' ')]} />
      {action.asks.map(({ label, example }, at) =>
        at === field ? (
          <TextField
            key={label}
            edited={fields[at] ?? editText('')}
            label={label.padStart(width)}
            placeholder={example}
            columns={columns}
          />
        ) : (
          <Row
            key={label}
            line={[
              span(`${label.padStart(width)} `, 'plain', true),
              span(harmless(fields[at]?.text ?? '') || example, fields[at]?.text ? 'plain' : 'dim'),
            ]}
          />
        ),
      )}
      <Row line={[span(' ')]} />
      <Paragraph text={`$ ${harmless(shellLine(words))}`} columns={columns} tone="accent" />
      <Paragraph text={harmless(matches.slice(0, 50).join('  '))} columns={columns} tone="dim" />
    </>
  );
}

/** The remotes with their state, and below them what else there is. */
function RemoteMenu({ contents, view, columns, rows }: PartProps<HomeView & { at: 'remotes' }>) {
  const { glyphs } = useLook();
  const { remotes, runs } = contents;
  const items: MenuItem[] = [
    ...remotes.map((remote, at) => ({
      key: at < 9 ? String(at + 1) : '',
      label: harmless(remote.name),
      note: stateText(remote),
    })),
    ...MENU_TAIL,
  ];
  const [last] = runs;
  const hasWelcome = remotes.length === 0;
  const extra = (hasWelcome ? 3 : 0) + (last === undefined ? 0 : 2);
  const lastLine =
    last === undefined
      ? ''
      : `Last run ${ago(Date.now() - last.endedMs)}: ${runEnd(last)}  ${harmless(shellLine(last.words))}`;
  return (
    <>
      {hasWelcome ? (
        <Paragraph
          text="No remotes yet. A remote is a named place for files, such as a bucket. Press n to add one."
          columns={columns}
          tone="dim"
        />
      ) : null}
      <Menu items={items} cursor={view.cursor} columns={columns} rows={Math.max(1, rows - extra)} />
      {last === undefined ? null : (
        <>
          <Row line={[span(' ')]} />
          <Row
            line={[span(cut(lastLine, columns, glyphs.ellipsis), last.exit === 0 ? 'dim' : 'warn')]}
          />
        </>
      )}
    </>
  );
}

function stateText({ type, place, login }: HomeRemote): string {
  return [type, place, login]
    .filter((text) => text !== '')
    .map(harmless)
    .join(', ');
}
