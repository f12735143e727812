import { harmless } from '../../src/core/harmless.ts';
import { actionsFor, commandOf, shellLine } from '../../src/home/home-actions.ts';
import type { HomeContents, HomeRemote } from '../../src/home/home-entry.ts';
import { type AskView, type HomeView, homeKeys } from '../../src/home/home-keys.ts';
import type { HomeModel } from '../../src/home/home-model.ts';
import type { PastRun } from '../../src/home/past-run.ts';
import { ago, runEnd, runSum } from '../../src/home/run-text.ts';
import { cellWidth, cut } from '../../src/screen/cells.ts';
import { spelled } from '../../src/screen/key-table.ts';
import { span } from '../../src/screen/span.ts';
import { editText } from '../../src/screen/text-edit.ts';
import { took } from '../../src/screen/took.ts';
import { KeyHelp } from '../shared/key-help.tsx';
import { useLook } from '../shared/look-context.tsx';
import { Menu } from '../shared/menu.tsx';
import { Page, pageRows } from '../shared/page.tsx';
import { Paragraph } from '../shared/paragraph.tsx';
import { Row } from '../shared/row.tsx';
import type { ViewProps } from '../shared/screen-root.tsx';
import { TextField } from '../shared/text-field.tsx';
import { RemoteMenu } from './remote-menu.tsx';

interface AskFormProps {
  readonly contents: HomeContents;
  readonly view: AskView;
  readonly columns: number;
}

interface ActionMenuProps {
  readonly contents: HomeContents;
  readonly remote: HomeRemote;
  readonly cursor: number;
  readonly columns: number;
  readonly rows: number;
}

interface RunListProps {
  readonly runs: readonly PastRun[];
  readonly cursor: number;
  readonly columns: number;
  readonly rows: number;
}

/** The home screen: remotes, what can be done with each, and the history. */
export function HomeScreen({ model, size }: ViewProps<HomeModel>) {
  const { contents, state: view } = model;
  const complaint = view.at === 'ask' ? view.complaint : undefined;
  const status = complaint === undefined ? undefined : [span(complaint, 'bad')];
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

interface ContentProps {
  readonly contents: HomeContents;
  readonly view: HomeView;
  readonly columns: number;
  readonly rows: number;
}

function Content({ contents, view, columns, rows }: ContentProps) {
  switch (view.at) {
    case 'remotes':
      return <RemoteMenu contents={contents} cursor={view.cursor} columns={columns} rows={rows} />;
    case 'actions':
      return (
        <ActionMenu
          contents={contents}
          remote={view.remote}
          cursor={view.cursor}
          columns={columns}
          rows={rows}
        />
      );
    case 'ask':
      return <AskForm contents={contents} view={view} columns={columns} />;
    case 'runs':
      return <RunList runs={contents.runs} cursor={view.cursor} columns={columns} rows={rows} />;
    case 'run':
      return <RunDetails run={view.run} columns={columns} />;
    case 'keys':
      return (
        <KeyHelp
          hints={homeKeys(contents, view.back)}
          first={view.first}
          columns={columns}
          rows={rows}
        />
      );
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
    case 'keys':
      return 'keys';
  }
}

/** The history, the newest first. */
function RunList({ runs, cursor, columns, rows }: RunListProps) {
  if (runs.length === 0) {
    return <Paragraph text="No runs yet." columns={columns} tone="dim" />;
  }
  const nowMs = Date.now();
  const items = runs.map((run) => ({
    key: run.exit === 0 ? '' : '!',
    label: `${ago(nowMs - run.endedMs)}, ${runEnd(run)}`,
    note: harmless(shellLine(run.words)),
  }));
  return <Menu items={items} cursor={cursor} columns={columns} rows={rows} />;
}

/** One run: its command line, how it ended, and what it did. */
function RunDetails({ run, columns }: { run: PastRun; columns: number }) {
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
    </>
  );
}

/** What can be done with a remote, and the command line that does the same as the one under the cursor. */
function ActionMenu({ contents, remote, cursor, columns, rows }: ActionMenuProps) {
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
function AskForm({ contents, view, columns }: AskFormProps) {
  const { glyphs } = useLook();
  const { action, remote, fields, field } = view;
  const width = Math.max(...action.asks.map(({ label }) => cellWidth(label)));
  const answers = fields.map(({ text }) => text.trim() || spelled('…', glyphs));
  const { words } = commandOf(action, remote.name, answers, contents);
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
    </>
  );
}
