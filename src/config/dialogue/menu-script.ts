import { importScript, passwordScript, undoScript } from './file-scripts.ts';
import { nameQuestion, newRemote, remoteDialogue } from './remote-script.ts';
import { draftOf, type RemoteSummary } from './remote-summary.ts';
import {
  ask,
  letter,
  letters,
  type Question,
  question,
  type Script,
  sureQuestion,
  type WizardWorld,
} from './step.ts';

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
    case 'd': {
      const remote = yield* remoteFor(world, 'delete', name);
      if (remote === undefined) break;
      const about = `Delete "${remote.name}" (${tellRemote(remote)})? The files in it are kept. Its keys and login are deleted from this configuration. ${world.usedBy(remote.name)}`;
      const isSure = yield* ask(sureQuestion(`delete ${remote.name}`, about.trimEnd()));
      if (isSure !== 'true') break;
      return { type: 'delete', name: remote.name };
    }
    case 'r': {
      const remote = yield* remoteFor(world, 'rename', name);
      if (remote === undefined) break;
      const { name: from } = remote;
      const asked = nameQuestion(world, `rename ${from}`, from);
      const about = `Enter new name for "${from}" remote. ${world.usedBy(from)}`.trimEnd();
      return { type: 'rename', from, to: yield* ask({ ...asked, about }) };
    }
    case 'c': {
      const remote = yield* remoteFor(world, 'copy', name);
      if (remote === undefined) break;
      const { name: from } = remote;
      const asked = nameQuestion(world, `copy ${from}`, `${from}-copy`);
      const about = `Enter name for copy of "${from}" remote.`;
      return { type: 'copy', from, to: yield* ask({ ...asked, about }) };
    }
    case 'i':
      return yield* importScript(world);
    case 's':
      return yield* passwordScript(world);
    case 'u':
      return yield* undoScript(world);
    case 'q':
      return { type: 'quit' };
  }
  return { type: 'nothing' };
}

/** The dialogue that edits one remote; which one is asked where `name` is `''`. */
export function* editScript(world: WizardWorld, name: string): Script {
  const remote = yield* remoteFor(world, 'edit', name);
  if (remote === undefined) return { type: 'nothing' };
  if (remote.kind !== undefined) return yield* remoteDialogue(draftOf(remote, remote.kind), world);
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

/** rclone's letters, in its order; `i` is ours. */
function menuQuestion(world: WizardWorld): Question {
  const { remotes, isEncrypted, isScreen, former } = world;
  const some = remotes.length > 0;
  const password = isEncrypted ? 'Change or remove the password' : 'Set configuration password';
  const onRemotes = [
    letter('d', 'Delete remote'),
    letter('r', 'Rename remote'),
    letter('c', 'Copy remote'),
  ];
  // On screens: rclone's lines of text have no such letter.
  const canUndo = isScreen === true && former !== undefined;
  return letters({
    id: MENU_ID,
    title: some ? 'e/n/d/r/c/s/i/q' : 'n/s/i/q',
    about: some ? 'Current remotes:' : 'No remotes found, make a new one?',
    default: '',
    choices: [
      ...remotes.map((remote) => {
        const { name } = remote;
        return { value: `e:${name}`, label: name, help: tellRemote(remote), target: name };
      }),
      ...(some ? [letter('e', 'Edit existing remote')] : []),
      letter('n', 'New remote'),
      ...(some ? onRemotes : []),
      letter('s', password),
      letter('i', 'Import from rclone'),
      ...(canUndo ? [letter('u', 'Undo the last change')] : []),
      letter('q', 'Quit config'),
    ],
  });
}

/** Type, place and login of a remote in one line. */
function tellRemote({ type, place, login }: RemoteSummary): string {
  return [type, place, login].filter((text) => text !== '').join(', ');
}

/** The remote that was named, or is chosen now. */
function* remoteFor(
  { remotes }: WizardWorld,
  doing: string,
  name: string,
): Script<RemoteSummary | undefined> {
  const find = (wanted: string) => remotes.find((remote) => remote.name === wanted);
  const asked = question({
    id: `remote to ${doing}`,
    kind: 'list',
    title: 'remote',
    about: `Select the remote to ${doing}.`,
    exclusive: true,
    choices: remotes.map((remote) => ({
      value: remote.name,
      label: remote.name,
      help: tellRemote(remote),
    })),
    check: (text) => (find(text) === undefined ? `No remote named "${text}".` : undefined),
  });
  return find(name || (yield* ask(asked)));
}
