import { canUndo, importScript, passwordScript, undoScript } from './file-scripts.ts';
import { nameQuestion, newRemote, remoteDialogue } from './remote-script.ts';
import { draftOf, type RemoteSummary } from './remote-summary.ts';
import {
  ask,
  type Choice,
  letter,
  letters,
  type Question,
  question,
  type Script,
  sureQuestion,
} from './step.ts';
import type { WizardWorld } from './wizard-parts.ts';

/** The id of the question of the menu. */
export const MENU_ID = 'menu';

/** The whole wizard from its menu to what one turn of it comes to. */
export function* menuScript(world: WizardWorld): Script {
  const [chosen = '', ...rest] = (yield* ask(menuQuestion(world))).split(':');
  const name = rest.join(':');
  switch (chosen) {
    case 'n':
      return yield* newRemote(world);
    case 'e':
      return yield* editScript(world, name);
    case 'd':
      return yield* withRemote(world, 'delete', name, remove);
    case 'r':
      return yield* withRemote(world, 'rename', name, rename);
    case 'c':
      return yield* withRemote(world, 'copy', name, copy);
    case 'i':
      return yield* importScript(world);
    case 's':
      return yield* passwordScript(world);
    case 'u':
      return yield* undoScript(world);
    case 'q':
      return { type: 'quit' };
    default:
      return { type: 'nothing' };
  }
}

/** The dialogue that edits one remote; which one is asked where `name` is `''`. */
export function* editScript(world: WizardWorld, name: string): Script {
  return yield* withRemote(world, 'edit', name, edit);
}

/** rclone's letters, in its order; `i` is ours. */
function menuQuestion(world: WizardWorld): Question {
  const { remotes, isEncrypted } = world;
  const some = remotes.length > 0;
  const password = isEncrypted ? 'Change or remove the password' : 'Set configuration password';
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
      ...(canUndo(world) ? [letter('u', 'Undo the last change')] : []),
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

/** Does something with the remote that was named, or is chosen now. */
function* withRemote(
  world: WizardWorld,
  doing: string,
  name: string,
  act: (world: WizardWorld, remote: RemoteSummary) => Script,
): Script {
  const find = (wanted: string) => world.remotes.find((remote) => remote.name === wanted);
  const asked = question({
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
  });
  const remote = find(name || (yield* ask(asked)));
  return remote === undefined ? { type: 'nothing' } : yield* act(world, remote);
}

function* edit(world: WizardWorld, remote: RemoteSummary): Script {
  if (remote.kind === undefined) {
    yield* ask(
      letters({
        id: `edit ${remote.name}/unknown`,
        title: 'q',
        about: `"${remote.name}" has the type "${remote.type}", which neither syncer nor rclone knows. It is kept unchanged.`,
        choices: [letter('q', 'Back')],
      }),
    );
    return { type: 'nothing' };
  }
  return yield* remoteDialogue(draftOf(remote, remote.kind), world);
}

function* remove(world: WizardWorld, remote: RemoteSummary): Script {
  const sure = sureQuestion(
    `delete ${remote.name}`,
    `Delete "${remote.name}" (${tellRemote(remote)})? The files in it are kept. Its keys and login are deleted from this configuration. ${world.usedBy(remote.name)}`.trimEnd(),
  );
  return (yield* ask(sure)) === 'true'
    ? { type: 'delete', name: remote.name }
    : { type: 'nothing' };
}

function* rename(world: WizardWorld, remote: RemoteSummary): Script {
  const asked = nameQuestion(world, `rename ${remote.name}`, remote.name);
  const about =
    `Enter new name for "${remote.name}" remote. ${world.usedBy(remote.name)}`.trimEnd();
  const to = yield* ask({ ...asked, about });
  return { type: 'rename', from: remote.name, to };
}

function* copy(world: WizardWorld, remote: RemoteSummary): Script {
  const asked = nameQuestion(world, `copy ${remote.name}`, `${remote.name}-copy`);
  const to = yield* ask({ ...asked, about: `Enter name for copy of "${remote.name}" remote.` });
  return { type: 'copy', from: remote.name, to };
}
