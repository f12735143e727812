import type { Job } from '../../src/config/job.ts';
import { shortRunId } from '../../src/core/run-id.ts';
import { counted } from '../../src/core/shown-text.ts';
import { canPlan } from '../../src/run/history/run-text.ts';
import type { HomeCommand, HomeContents } from '../../src/run/home-entry.ts';
import type { RunningSummary } from '../../src/run/presence/running-text.ts';
import { shellLine } from '../../src/system/shell-words.ts';
import type { OpenItem } from './home-item.ts';

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
const SYNCS = between('sync', '-P', '--review');
const CHECKS = between('check', '-P');

const BROWSE = action('b', 'Browse', 'find what uses the space', (root) => screen('ncdu', root));
const COPY = action('c', 'Copy to…', 'deletes nothing; plan first', COPIES, [from, to]);
const SYNC = action('s', 'Sync to…', 'makes it identical; plan first', SYNCS, [from, to]);
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

const LOGIN_ACTION = action('r', 'Log in again', 'the login has expired or is missing', (root) =>
  run('config', 'reconnect', root),
);

/** The actions for an item. */
export function actionsFor(item: OpenItem): readonly HomeAction[] {
  if (item.kind === 'place') return [BROWSE, COPY, SYNC, COMPARE];
  if (item.kind === 'running') return runningActions(item.run);
  if (item.kind === 'job') return jobActions(item.job);
  if (item.kind === 'remote') {
    const { isKnown, needsLogin } = item.remote;
    if (!isKnown) return HOME_ACTIONS.filter(({ key }) => key === 'e');
    return needsLogin ? [LOGIN_ACTION, ...HOME_ACTIONS] : HOME_ACTIONS;
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

/** The command of an action as it is shown and run. */
export function commandOf(
  action: HomeAction,
  root: string,
  answers: readonly string[],
  { flags }: Pick<HomeContents, 'flags'>,
): HomeCommand {
  return withFlags(action.command(root, answers), flags);
}

/** A command with the flags that all from this screen get. */
export function withFlags(command: HomeCommand, flags: readonly string[]): HomeCommand {
  return { ...command, words: [...command.words, ...flags] };
}
