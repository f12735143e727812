import { ACTION_KEYS, ASK_KEYS, LIST_KEYS, RUN_KEYS } from '../../src/home/home-keys.ts';
import type { HomeModel, HomeView } from '../../src/home/home-model.ts';
import { span } from '../../src/screen/span.ts';
import { KeyHelp } from '../shared/key-help.tsx';
import { Page, pageRows } from '../shared/page.tsx';
import type { ViewProps } from '../shared/screen-root.tsx';
import { ActionMenu } from './action-menu.tsx';
import { AskForm } from './ask-form.tsx';
import { RemoteMenu } from './remote-menu.tsx';
import { RunDetails } from './run-details.tsx';
import { RunList } from './run-list.tsx';

/** The home screen: remotes, what can be done with each, and the last runs. */
export function HomeScreen({ model, size }: ViewProps<HomeModel>) {
  const view = model.view();
  const complaint = view.at === 'ask' ? view.complaint : undefined;
  const status = complaint === undefined ? undefined : [span(complaint, 'bad')];
  const rows = pageRows(size, status !== undefined);
  return (
    <Page size={size} title="" subject={subjectOf(view)} status={status} hints={keysOf(view)}>
      <Content model={model} view={view} columns={size.columns} rows={rows} />
    </Page>
  );
}

interface ContentProps {
  readonly model: HomeModel;
  readonly view: HomeView;
  readonly columns: number;
  readonly rows: number;
}

function Content({ model, view, columns, rows }: ContentProps) {
  const { contents } = model;
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
      return <KeyHelp hints={keysOf(view.back)} first={view.first} columns={columns} rows={rows} />;
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
      return 'last runs';
    case 'run':
      return 'a run';
    case 'keys':
      return 'keys';
  }
}

function keysOf({ at }: HomeView) {
  if (at === 'ask') return ASK_KEYS;
  if (at === 'actions') return ACTION_KEYS;
  return at === 'run' ? RUN_KEYS : LIST_KEYS;
}
