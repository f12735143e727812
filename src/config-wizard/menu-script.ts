import type { ImportOutcome } from '../config/import-remotes.ts';
import { nameQuestion, newRemote, remoteDialogue } from './remote-script.ts';
import { draftOf, type RemoteSummary } from './remote-summary.ts';
import {
  ask,
  awaitWork,
  type Choice,
  letters,
  type Question,
  question,
  type Script,
  sureQuestion,
} from './step.ts';
import type { WizardWorld } from './wizard-parts.ts';
import type { Found } from './work.ts';

/** What becomes of a remote of the other configuration, in a few words. */
const IMPORT_WORDS: Readonly<Record<ImportOutcome, string>> = {
  imported: 'imported with all settings',
  replaced: 'replaces the existing remote',
  unchanged: 'skipped: already imported',
  exists: 'skipped: the name is taken',
  unsupported: 'skipped: type not supported',
  'leads-nowhere': 'skipped: not supported by syncer',
  invalid: 'skipped: no type, or an invalid name',
};

/** The id of the question of the menu. */
export const MENU_ID = 'menu';

/** The whole wizard from its menu to what one turn of it comes to. */
export function* menuScript(world: WizardWorld): Script {
  const [letter = '', ...rest] = (yield* ask(menuQuestion(world))).split(':');
  const name = rest.join(':');
  switch (letter) {
    case 'n':
      return yield* newRemote(world);
    case 'e':
      return yield* editScript(world, name);
    case 'd':
      return yield* remove(yield* which(world, 'delete', name));
    case 'r':
      return yield* rename(world, yield* which(world, 'rename', name));
    case 'c':
      return yield* copy(world, yield* which(world, 'copy', name));
    case 'i':
      return yield* importScript(world);
    case 's':
      return yield* passwordScript(world);
    case 'q':
      return { type: 'quit' };
    default:
      return { type: 'nothing' };
  }
}

/** The dialogue that edits one remote; which one is asked where `name` is `''`. */
export function* editScript(world: WizardWorld, name: string): Script {
  return yield* edit(world, yield* which(world, 'edit', name));
}

/** rclone's letters, in its order; `i` is ours. */
function menuQuestion(world: WizardWorld): Question {
  const { remotes, isEncrypted } = world;
  const some = remotes.length > 0;
  const password = isEncrypted ? 'Change or remove the password' : 'Set configuration password';
  const letter = (key: string, label: string): Choice => ({ value: key, key, label });
  const onRemotes = [
    letter('d', 'Delete remote'),
    letter('r', 'Rename remote'),
    letter('c', 'Copy remote'),
  ];
  return letters({
    id: MENU_ID,
    title: some ? 'e/n/d/r/c/s/i/q' : 'n/s/i/q',
    about: some ? 'Current remotes:' : 'No remotes found, make a new one?',
    default: '',
    choices: [
      ...remotes.map(remoteChoice),
      ...(some ? [letter('e', 'Edit existing remote')] : []),
      letter('n', 'New remote'),
      ...(some ? onRemotes : []),
      letter('s', password),
      letter('i', 'Import from rclone'),
      letter('q', 'Quit config'),
    ],
  });
}

function remoteChoice(remote: RemoteSummary): Choice {
  return {
    value: `e:${remote.name}`,
    label: remote.name,
    help: tellRemote(remote),
    target: remote.name,
  };
}

/** Type, place and login of a remote in one line. */
function tellRemote({ type, place, login }: RemoteSummary): string {
  return [type, place, login].filter((text) => text !== '').join(', ');
}

/** The remote that was named, or is chosen now. */
function* which(
  world: WizardWorld,
  doing: string,
  name: string,
): Script<RemoteSummary | undefined> {
  const find = (wanted: string) => world.remotes.find((remote) => remote.name === wanted);
  if (name !== '') return find(name);
  const chosen = yield* ask(
    question({
      id: `remote to ${doing}`,
      kind: 'list',
      title: 'remote',
      about: `Select the remote to ${doing}.`,
      exclusive: true,
      choices: world.remotes.map((remote) => ({
        value: remote.name,
        label: remote.name,
        help: tellRemote(remote),
      })),
      check: (text) => (find(text) === undefined ? `No remote named "${text}".` : undefined),
    }),
  );
  return find(chosen);
}

function* edit(world: WizardWorld, remote: RemoteSummary | undefined): Script {
  if (remote === undefined) return { type: 'nothing' };
  if (remote.kind === undefined) {
    yield* ask(
      letters({
        id: `edit ${remote.name}/unknown`,
        title: 'q',
        about: `"${remote.name}" has the type "${remote.type}", which syncer does not support. It is kept unchanged.`,
        choices: [{ value: 'q', key: 'q', label: 'Back' }],
      }),
    );
    return { type: 'nothing' };
  }
  return yield* remoteDialogue(draftOf(remote, remote.kind), world);
}

function* remove(remote: RemoteSummary | undefined): Script {
  if (remote === undefined) return { type: 'nothing' };
  const sure = sureQuestion(
    `delete ${remote.name}`,
    `Delete "${remote.name}" (${tellRemote(remote)})? The files in it are kept. Its keys and login are deleted from this configuration.`,
  );
  return (yield* ask(sure)) === 'true'
    ? { type: 'delete', name: remote.name }
    : { type: 'nothing' };
}

function* rename(world: WizardWorld, remote: RemoteSummary | undefined): Script {
  if (remote === undefined) return { type: 'nothing' };
  const asked = nameQuestion(world, `rename ${remote.name}`, remote.name);
  const to = yield* ask({ ...asked, about: `Enter new name for "${remote.name}" remote.` });
  return { type: 'rename', from: remote.name, to };
}

function* copy(world: WizardWorld, remote: RemoteSummary | undefined): Script {
  if (remote === undefined) return { type: 'nothing' };
  const asked = nameQuestion(world, `copy ${remote.name}`, `${remote.name}-copy`);
  const to = yield* ask({ ...asked, about: `Enter name for copy of "${remote.name}" remote.` });
  return { type: 'copy', from: remote.name, to };
}

/** Sets, changes or removes the password of the configuration; the letters are rclone's. */
function* passwordScript({ isEncrypted }: WizardWorld): Script {
  const chosen = yield* ask(
    letters({
      id: 'password/what',
      title: isEncrypted ? 'c/u/q' : 'a/q',
      about: isEncrypted
        ? 'Your configuration is encrypted.'
        : 'Your configuration is not encrypted.',
      choices: [
        ...(isEncrypted
          ? [
              { value: 'c', key: 'c', label: 'Change Password' },
              { value: 'u', key: 'u', label: 'Unset configuration', help: 'removes encryption' },
            ]
          : [{ value: 'a', key: 'a', label: 'Add Password' }]),
        { value: 'q', key: 'q', label: 'Quit to main menu' },
      ],
    }),
  );
  if (chosen === 'q') return { type: 'nothing' };
  if (chosen === 'u') {
    const about =
      'Store the configuration without encryption? Its keys and logins are then readable for anyone who can read the file.';
    const isSure = yield* ask(sureQuestion('password/remove', about));
    return isSure === 'true' ? { type: 'password', password: undefined } : { type: 'nothing' };
  }
  const first = yield* ask(
    question({
      id: 'password/new',
      title: 'password',
      about:
        'Enter NEW configuration password. If you lose it, the configuration cannot be recovered.',
      secret: true,
      check: (text) => (text.trim() === '' ? 'The password is empty.' : undefined),
    }),
  );
  const second = question({
    id: 'password/again',
    title: 'password',
    about: 'Confirm NEW configuration password.',
    secret: true,
    check: (text) => (text === first ? undefined : 'The two passwords differ.'),
  });
  yield* ask(second);
  return { type: 'password', password: first };
}

/** Takes over the remotes of an rclone configuration, after showing what would come. */
function* importScript(world: WizardWorld): Script {
  const path = yield* ask(
    question({
      id: 'import/path',
      title: 'path',
      about: 'Path of the rclone configuration file.',
      example: '~/.config/rclone/rclone.conf',
      preset: world.rclonePath ?? '',
      check: (text) => (text.trim() === '' ? 'Enter a file path.' : undefined),
    }),
  );
  let password: string | undefined;
  let found = yield* awaitWork<Found>({ type: 'read-import', path, password });
  while (found.isLocked) {
    password = yield* ask(
      question({
        id: 'import/password',
        title: 'password',
        about: 'The configuration is encrypted. Enter its password.',
        secret: true,
        problem: password === undefined ? '' : 'The password is wrong.',
        check: (text) => (text === '' ? 'Enter the password.' : undefined),
      }),
    );
    found = yield* awaitWork<Found>({ type: 'read-import', path, password });
  }
  const { remotes } = found;
  const count = (outcome: ImportOutcome) => remotes.filter((one) => one.outcome === outcome).length;
  const list = remotes.map(
    ({ name, type, outcome }) =>
      `${name}${type === '' ? '' : ` (${type})`}: ${IMPORT_WORDS[outcome]}`,
  );
  const rest = count('exists') + count('imported');
  const force = {
    value: 'f',
    key: 'f',
    label: 'Import and replace existing ones',
    needsKey: true,
  };
  const decided = yield* ask(
    letters({
      id: 'import/confirm',
      title: count('exists') === 0 ? 'y/n' : 'y/f/n',
      about: [rest === 0 ? 'Nothing to import.' : 'Import these?', ...list].join('\n'),
      default: count('imported') === 0 ? 'n' : 'y',
      choices: [
        { value: 'y', key: 'y', label: `Import ${count('imported')}` },
        ...(count('exists') === 0 ? [] : [force]),
        { value: 'n', key: 'n', label: 'Import nothing' },
      ],
    }),
  );
  if (decided === 'n') return { type: 'nothing' };
  return { type: 'import', path, password, force: decided === 'f' };
}
