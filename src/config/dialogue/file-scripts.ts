import type { ImportOutcome } from '../import-remotes.ts';
import { isHidden } from './draft.ts';
import { MASK } from './section-preview.ts';
import { ask, awaitWork, letters, question, type Script, sureQuestion } from './step.ts';
import type { WizardWorld } from './wizard-parts.ts';
import type { Found } from './work.ts';

/** What becomes of a remote of the other configuration, in a few words. */
const IMPORT_WORDS: Readonly<Record<ImportOutcome, string>> = {
  imported: 'imported with all settings',
  replaced: 'replaces the existing remote',
  unchanged: 'skipped: already imported',
  exists: 'skipped: the name is taken',
  'leads-nowhere': 'skipped: the remote that it stands for does not exist',
  invalid: 'skipped: no type, or an invalid name',
};

/** Whether the menu offers to undo the last change: on screens, as rclone's lines of text have no such letter. */
export function canUndo({ isScreen, former }: WizardWorld): boolean {
  return isScreen === true && former !== undefined;
}

/** Puts back what the configuration held before its last change, after showing what that changes. */
export function* undoScript(world: WizardWorld): Script {
  const changes = undoChanges(world);
  const about = ['Undo the last change of the wizard? This', ...changes].join('\n');
  const isSure = yield* ask(sureQuestion('undo', about));
  return isSure === 'true' ? { type: 'undo', shown: shownIn(world) } : { type: 'nothing' };
}

const shownIn = ({ remotes }: WizardWorld) =>
  new Map(remotes.map(({ name, values }) => [name, values]));

/** What an undo changes, in lines; secrets are masked. */
function undoChanges(world: WizardWorld): readonly string[] {
  const { kinds, former = new Map() } = world;
  const now = shownIn(world);
  const names = new Set([...now.keys(), ...former.keys()]);
  const lines = [...names].flatMap((name): readonly string[] => {
    const before = former.get(name);
    const values = now.get(name);
    if (before === undefined) return [`deletes the remote "${name}" (${values?.get('type')})`];
    if (values === undefined) return [`restores the remote "${name}" (${before.get('type')})`];
    const kind = kinds.find(({ type }) => type === before.get('type'));
    const masks = (key: string, value: string) =>
      kind === undefined ? value !== '' : isHidden(kind, key, value);
    const keys = [...new Set([...values.keys(), ...before.keys()])];
    return keys
      .filter((key) => values.get(key) !== before.get(key))
      .map((key) => {
        const value = before.get(key);
        if (value === undefined) return `deletes ${key} of "${name}"`;
        return `sets ${key} of "${name}" to ${masks(key, value) ? MASK : value || 'nothing'}`;
      });
  });
  return lines.length > 0 ? lines : ['changes comments or the order of lines only'];
}

/** Sets, changes or removes the password of the configuration; the letters are rclone's. */
export function* passwordScript({ isEncrypted }: WizardWorld): Script {
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
  for (let problem = ''; ; problem = 'The two passwords differ. Enter both again.') {
    const password = yield* ask(
      question({
        id: 'password/new',
        title: 'password',
        about:
          'Enter NEW configuration password. If you lose it, the configuration cannot be recovered.',
        secret: true,
        problem,
        check: (text) => (text.trim() === '' ? 'The password is empty.' : undefined),
      }),
    );
    const again = question({
      id: 'password/again',
      title: 'password',
      about: 'Confirm NEW configuration password.',
      secret: true,
      check: (text) => (text === '' ? 'Enter the password again.' : undefined),
    });
    if ((yield* ask(again)) === password) return { type: 'password', password };
  }
}

/** Takes over the remotes of an rclone configuration, after showing what would come. */
export function* importScript(world: WizardWorld): Script {
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
