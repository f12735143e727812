import type { Job } from '../../src/config/job.ts';
import { shortRunId } from '../../src/core/run-id.ts';
import { counted } from '../../src/core/shown-text.ts';
import { canPlan } from '../../src/run/history/run-text.ts';
import type {
  HomeCommand,
  HomeContents,
  HomeMount,
  HomeOffer,
  HomePlace,
  HomeRemote,
  RemoteTest,
} from '../../src/run/home-entry.ts';
import type { RunningSummary } from '../../src/run/presence/running-text.ts';
import type { PastRun } from '../../src/state/runs.ts';
import { shellLine } from '../../src/system/shell-words.ts';
import type { Key } from '../../src/terminal/key.ts';
import type { KeyRule } from '../../src/terminal/key-table.ts';
import { type Filtered, shownOf } from '../../src/terminal/list-filter.ts';
import type { ScreenStep } from '../../src/terminal/state-screen.ts';
import type { EditedText } from '../../src/terminal/text-edit.ts';

/** A line of the home screen that the cursor can be on, with what it is called. */
export type HomeItem = { readonly name: string } & (
  | { readonly kind: 'place'; readonly place: HomePlace; readonly isPinned: boolean }
  | { readonly kind: 'remote'; readonly remote: HomeRemote; readonly isPinned: boolean }
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'mount'; readonly mount: HomeMount }
  | { readonly kind: 'running'; readonly run: RunningSummary }
  | { readonly kind: 'past'; readonly run: PastRun }
  | { readonly kind: 'offer'; readonly offer: HomeOffer }
  | { readonly kind: 'page'; readonly page: (typeof HOME_PAGES)[number] }
);

/** An item about which there is more to show and to do. */
export type OpenItem = Exclude<HomeItem, { kind: 'offer' | 'page' | 'past' }>;

/** Whether an item has a list of what can be done with it. */
export function isOpenItem(item: HomeItem | undefined): item is OpenItem {
  return item !== undefined && !/^(offer|page|past)$/.test(item.kind);
}

/** What stands below the lists. */
const HOME_PAGES = [
  { key: 'n', label: 'New remote', note: 'local disk, S3, cloud drive' },
  { key: 'g', label: 'Configuration', note: 'edit, copy, delete, import from rclone' },
  { key: 'h', label: 'History', note: 'recent runs and their results' },
] as const;

/** All items that a list shows, in the order of the screen: what is pinned comes first. */
export function homeItems(contents: HomeContents, list: Filtered = {}): readonly HomeItem[] {
  const { places, remotes, jobs, mounts, running, offers, runs, pins } = contents;
  const isPinned = (path: string) => pins.includes(path);
  const named = [
    ...places.map((place) => {
      const name = place.path;
      return { kind: 'place', name, place, isPinned: isPinned(name) } as const;
    }),
    ...remotes.map((remote) => {
      const { name } = remote;
      return { kind: 'remote', name, remote, isPinned: isPinned(`${name}:`) } as const;
    }),
  ];
  const pinned = named.filter(({ isPinned }) => isPinned);
  const order = (item: OpenItem) => pins.indexOf(rootOf(item));
  const items: readonly HomeItem[] = [
    ...offers.map((offer) => ({ kind: 'offer', name: offer.label, offer }) as const),
    ...pinned.toSorted((a, b) => order(a) - order(b)),
    ...named.filter(({ isPinned }) => !isPinned),
    ...jobs.map((job) => ({ kind: 'job', name: job.name, job }) as const),
    ...mounts.map((mount) => ({ kind: 'mount', name: mount.mountPoint, mount }) as const),
    ...running.map((run) => ({ kind: 'running', name: run.id, run }) as const),
    ...runs.slice(0, 5).map((run) => ({ kind: 'past', name: run.id, run }) as const),
    ...HOME_PAGES.map((page) => ({ kind: 'page', name: page.label, page }) as const),
  ];
  return shownOf(items, list, (item) => {
    switch (item.kind) {
      case 'remote':
        return `${item.remote.name} ${item.remote.type} ${item.remote.place}`;
      case 'job':
        return `${item.job.name} ${shellLine(item.job.words)}`;
      case 'mount':
        return `${item.mount.mountPoint} ${item.mount.source}`;
      case 'running':
      case 'past':
        return `${item.run.id} ${shellLine(item.run.words)}`;
      default:
        return item.name;
    }
  });
}

/** The names of the remotes in the order of their numbers, which a filter does not change. */
export function numberedRemotes(contents: HomeContents): readonly string[] {
  return homeItems(contents).flatMap(({ kind, name }) => (kind === 'remote' ? [name] : []));
}

/** The runs that a list shows, by their command lines and ids. */
export function shownRuns({ runs }: HomeContents, list: Filtered): readonly PastRun[] {
  return shownOf(runs, list, ({ id, words }) => `${id} ${shellLine(words)}`);
}

/** The path that commands take for an item. */
export function rootOf(item: OpenItem): string {
  return item.kind === 'remote' ? `${item.name}:` : item.name;
}

/** What an item is found by among items that may be others now. */
type ItemName = { readonly kind: string; readonly name: string };

/** Where an item is among items that may be others now; a run that has ended is a past one. `at` where it is gone. */
export function placeOf(item: ItemName | undefined, items: readonly HomeItem[], at: number) {
  const isIt = (one: HomeItem) => one.kind === item?.kind && one.name === item.name;
  const hasEnded = ({ kind, name }: HomeItem) =>
    item?.kind === 'running' && kind === 'past' && name === item.name;
  const found = [items.findIndex(isIt), items.findIndex(hasEnded)].find((one) => one >= 0);
  return found ?? Math.max(0, Math.min(at, items.length - 1));
}

/** The first list with its cursor on an item. */
export function listAt(item: ItemName | undefined, contents: HomeContents, at = 0): HomeListState {
  return { at: 'remotes', cursor: placeOf(item, homeItems(contents), at) };
}

/** What can be done with a remote, a job, a mount or a running run. */
export interface HomeAction {
  /** The letter that takes it. */
  readonly key: string;
  readonly label: string;
  readonly note: string;
  /** The texts that are asked for first, in order. */
  readonly asks: readonly HomeQuestion[];
  /** The screen shows what it came to by itself. */
  readonly isTest?: true;
  /** The command, from the path of what it is done to, or its name, and the answers. */
  readonly command: (root: string, answers: readonly string[]) => HomeCommand;
  /** What is asked before it runs. */
  readonly question?: string;
  /** The question can be answered by a look at the plan. */
  readonly canPlan?: boolean;
}

/** A text that an action needs. */
export interface HomeQuestion {
  readonly label: string;
  readonly example: string;
  /** What stands there to begin with; `root`: the path of the item. */
  readonly preset: (root: string) => string;
}

const from: HomeQuestion = {
  label: 'from',
  example: 'remote:directory',
  preset: (root) => (/[:/]$/.test(root) ? root : `${root}/`),
};
const toHere: HomeQuestion = { ...from, label: 'to' };
const local: HomeQuestion = {
  label: 'from',
  example: '~/Documents or remote:directory',
  preset: () => '',
};
const to: HomeQuestion = { ...local, label: 'to', example: '~/backup or remote:directory' };
const mountAt: HomeQuestion = { ...to, label: 'at', example: '/mnt/photos (an empty directory)' };

const run = (...words: string[]): HomeCommand => ({ words, hasScreen: false });
const screen = (...words: string[]): HomeCommand => ({ words, hasScreen: true });
/** A command for two paths that were asked for. */
const between =
  (verb: string, ...flags: string[]): HomeAction['command'] =>
  (_, [source = '', dest = '']) =>
    run(verb, source, dest, ...flags);
const COPIES = between('copy', '-P', '--review');
const SYNCS = between('sync', '-P', '--review', '--trash');
const CHECKS = between('check', '-P');

const BROWSE = action('b', 'Browse', 'find what uses the space', (root) => screen('ncdu', root));
const COPY = action('c', 'Copy to…', 'deletes nothing; plan first', COPIES, [from, to]);
const SYNC = action('s', 'Sync to…', 'makes it identical; plan first, with trash', SYNCS, [
  from,
  to,
]);
const COMPARE = action('v', 'Compare with…', 'another path; changes nothing', CHECKS, [from, to]);

/** What the key does that pins a place or a remote. */
export function pinText({ isPinned }: { readonly isPinned: boolean }) {
  return isPinned
    ? { key: 'p', label: 'Unpin', note: 'no longer first in the list' }
    : { key: 'p', label: 'Pin', note: 'keep it first in the list' };
}

const HOME_ACTIONS: readonly HomeAction[] = [
  BROWSE,
  COPY,
  action('u', 'Upload…', 'copies to this remote; plan first', COPIES, [local, toHere]),
  SYNC,
  COMPARE,
  action('m', 'Mount…', 'as a local directory', between('mount', '--daemon'), [from, mountAt]),
  { ...action('t', 'Test', 'lists the top level', (root) => run('lsd', root)), isTest: true },
  action('e', 'Edit', 'its options, in the wizard', (root) =>
    screen('config', 'edit', root.replace(/:$/, '')),
  ),
];

/** The actions for an item. */
export function actionsFor(item: OpenItem): readonly HomeAction[] {
  if (item.kind === 'place') return [BROWSE, COPY, SYNC, COMPARE];
  if (item.kind === 'running') return runningActions(item.run);
  if (item.kind === 'job') return jobActions(item.job);
  if (item.kind === 'remote') {
    const { isKnown, needsLogin } = item.remote;
    if (!isKnown) return HOME_ACTIONS.filter(({ key }) => key === 'e');
    if (!needsLogin) return HOME_ACTIONS;
    const note = 'the login has expired or is missing';
    const login = action('r', 'Log in again', note, (root) => run('config', 'reconnect', root));
    return [login, ...HOME_ACTIONS];
  }
  const { mountPoint, pending } = item.mount;
  const waits = pending === 0 ? '' : ` It waits for ${counted(pending, 'upload')}.`;
  const unmount = action('u', 'Unmount', 'waits for uploads', (at) => run('unmount', at));
  return [BROWSE, { ...unmount, question: `Unmount ${mountPoint}?${waits}` }];
}

/** A hook server is no run of syncer: systemd stops it, and starts it again. */
function runningActions({ words, program, state, id }: RunningSummary): readonly HomeAction[] {
  if (program !== undefined) return [];
  const line = shellLine(words);
  return [
    action('a', 'Attach', 'shows how far it is, with keys to pause or stop it', (of) =>
      screen('attach', of),
    ),
    state === 'paused'
      ? action('p', 'Resume', 'lets it continue', (of) => run('resume', of))
      : action('p', 'Pause', 'starts no more files until it is resumed', (of) => run('pause', of)),
    {
      ...action('s', 'Stop', 'after its current files', (of) => run('stop', of)),
      question: `Stop ${shortRunId(id)} after its current files? It is: ${line}`,
    },
  ].filter(() => state !== 'silent');
}

/** All that changes files asks first: a job may delete without showing what. */
function jobActions(job: Job): readonly HomeAction[] {
  const { name, words } = job;
  const plans = canPlan(job);
  const compares = words.some((word) => COMPARED.has(word));
  const ran = (key: string, label: string, note: string, ...flags: readonly string[]) =>
    action(key, label, note, (of) => run('run', of, ...flags, '-P'));
  const now = ran('r', 'Run', 'runs it now');
  const remove = action('d', 'Delete', 'deletes the job; its files stay', (of) =>
    run('job', of, '--delete'),
  );
  return [
    ...(plans ? [ran('p', 'Plan', 'shows what it would do first, and asks', '--review')] : []),
    words[0] === 'check' ? now : { ...now, question: `Run ${name} now?`, canPlan: plans },
    ...(compares
      ? [ran('v', 'Compare', 'compares its two paths; changes nothing', '--check')]
      : []),
    { ...remove, question: `Delete the job ${name}? Its files stay.` },
  ];
}

/** Jobs of these commands have two paths. */
const COMPARED: ReadonlySet<string> = new Set('copy sync move copyto moveto'.split(' '));

function action(
  key: string,
  label: string,
  note: string,
  command: HomeAction['command'],
  asks: HomeAction['asks'] = [],
): HomeAction {
  return { key, label, note, asks, command };
}

/** A command with the flags that all from this screen get. */
export function withFlags(command: HomeCommand, flags: readonly string[]): HomeCommand {
  return { ...command, words: [...command.words, ...flags] };
}

/** What the home screen shows at the moment: a page, or a question. */
export type HomeState = PageState | SureState;

/** A page of the home screen. */
export type PageState = HomeListState | ActionsState | AskState | RunsState | PastRunState;

export interface HomeListState extends Filtered {
  readonly at: 'remotes';
  readonly cursor: number;
  /** Why the last key did nothing. */
  readonly notice?: string;
}

export type RunsState = Omit<HomeListState, 'at'> & {
  readonly at: 'runs';
  /** The item that the cursor was on in the first list. */
  readonly home?: HomeItem | undefined;
};

/** What can be done with an item. */
export interface ActionsState {
  readonly at: 'actions';
  readonly item: OpenItem;
  readonly cursor: number;
  /** The test of the remote; `running` until it has ended. */
  readonly test?: RemoteTest | 'running';
}

/** The texts of an action are asked for. */
export interface AskState {
  readonly at: 'ask';
  readonly item: OpenItem;
  readonly action: HomeAction;
  readonly fields: readonly EditedText[];
  readonly field: number;
  /** What is wrong with the answers. */
  readonly complaint?: string;
  /** How the text of the field may go on, after the key that completes it. */
  readonly matches?: readonly string[];
}

export interface PastRunState {
  readonly at: 'run';
  readonly run: PastRun;
  /** What it changed, a line for each path; absent until it was read. */
  readonly changes?: readonly string[];
  /** Why the last key did nothing. */
  readonly notice?: string;
  readonly first: number;
  /** Where it was opened. */
  readonly list: HomeListState | RunsState;
}

/** The question whether to run a command. */
export interface SureState {
  readonly at: 'sure';
  readonly question: string;
  readonly command: HomeCommand;
  /** The same with a plan first, where there is one. */
  readonly plan?: HomeCommand;
  readonly first: number;
  readonly back: PageState;
}

/** What is to be done besides showing. */
export type HomeEffect =
  /** The screen ends with a command to run, or without one. */
  | { readonly type: 'end'; readonly command: HomeCommand | undefined }
  /** Asks a remote whether it works, and for its space. */
  | { readonly type: 'ask'; readonly remote: HomeRemote }
  /** Pins what commands take as `path`, or unpins it. */
  | { readonly type: 'pin'; readonly path: string; readonly isPinned: boolean }
  /** Reads what a run changed. */
  | { readonly type: 'changes'; readonly id: string }
  | { readonly type: 'test'; readonly remote: string }
  /** Looks up how `typed` may go on behind the words of a command line. */
  | { readonly type: 'complete'; readonly words: readonly string[]; readonly typed: string };

export type HomeStep = ScreenStep<HomeState, HomeEffect>;

/** A row of the screen's key tables. */
export type HomeRule = KeyRule<(name: string, key: Key) => HomeStep>;
