import { shellWord } from '../kit/shell-word.ts';
import type { HomeCommand, HomeContents, HomeRemote } from './home-entry.ts';

/** What can be done with a remote. */
export interface HomeAction {
  /** The letter that takes it. */
  readonly key: string;
  readonly label: string;
  readonly note: string;
  /** The texts that are asked for first, in order. */
  readonly asks: readonly HomeQuestion[];
  /** The command, from the answers. */
  readonly command: (remote: string, answers: readonly string[]) => HomeCommand;
}

/** A text that an action needs. */
export interface HomeQuestion {
  readonly label: string;
  readonly example: string;
  /** What stands there to begin with. */
  readonly preset: (remote: string) => string;
}

const from: HomeQuestion = {
  label: 'from',
  example: 'remote:folder',
  preset: (remote) => `${remote}:`,
};
const to: HomeQuestion = {
  label: 'to',
  example: '/a/folder or other:folder',
  preset: () => '',
};

const run = (...words: string[]): HomeCommand => ({ words, hasScreen: false });
const screen = (...words: string[]): HomeCommand => ({ words, hasScreen: true });
const at = (answers: readonly string[], index: number) => answers[index] ?? '';

/** What can be done with a remote, in the order of the menu. */
const HOME_ACTIONS: readonly HomeAction[] = [
  {
    key: 'b',
    label: 'Browse',
    note: 'what takes the space, file by file; look into files, mark, copy, delete',
    asks: [],
    command: (remote) => screen('ncdu', `${remote}:`),
  },
  {
    key: 'c',
    label: 'Copy to…',
    note: 'copies what is new or changed; deletes nothing',
    asks: [from, to],
    command: (_, answers) => run('copy', at(answers, 0), at(answers, 1), '-P'),
  },
  {
    key: 's',
    label: 'Sync to…',
    note: 'makes another place equal; shows the plan before anything happens',
    asks: [from, to],
    command: (_, answers) => run('sync', at(answers, 0), at(answers, 1), '-P', '--review'),
  },
  {
    key: 'k',
    label: 'Check against…',
    note: 'compares with another place; changes nothing',
    asks: [from, to],
    command: (_, answers) => run('check', at(answers, 0), at(answers, 1), '-P'),
  },
  {
    key: 'm',
    label: 'Mount…',
    note: 'as a folder of this machine',
    asks: [from, { label: 'at', example: '/mnt/photos (an empty folder)', preset: () => '' }],
    command: (_, answers) => run('mount', at(answers, 0), at(answers, 1), '--daemon'),
  },
  {
    key: 'l',
    label: 'Test',
    note: 'asks the store for its first level',
    asks: [],
    command: (remote) => run('lsd', `${remote}:`),
  },
  {
    key: 'e',
    label: 'Edit',
    note: 'its settings, in the configuration screens',
    asks: [],
    command: (remote) => screen('config', 'edit', remote),
  },
];

/** What can be done about the login of a remote. */
const LOGIN_ACTION: HomeAction = {
  key: 'r',
  label: 'Log in again',
  note: 'the login has ended or was never made',
  asks: [],
  command: (remote) => run('config', 'reconnect', `${remote}:`),
};

/** The actions for one remote. */
export function actionsFor({ isKnown, needsLogin }: HomeRemote): readonly HomeAction[] {
  if (!isKnown) return HOME_ACTIONS.filter(({ key }) => key === 'e');
  return needsLogin ? [LOGIN_ACTION, ...HOME_ACTIONS] : HOME_ACTIONS;
}

/** The command of an action as it is shown and run. */
export function commandOf(
  action: HomeAction,
  remote: string,
  answers: readonly string[],
  { flags }: Pick<HomeContents, 'flags'>,
): HomeCommand {
  return withFlags(action.command(remote, answers), flags);
}

/** A command with the flags that all from this screen get. */
export function withFlags(command: HomeCommand, flags: readonly string[]): HomeCommand {
  return { ...command, words: [...command.words, ...flags] };
}

/** Words as they would be typed in a shell. */
export function shellLine(words: readonly string[]): string {
  return ['syncer', ...words].map(shellWord).join(' ');
}
