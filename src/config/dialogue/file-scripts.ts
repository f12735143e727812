import { counted, firstNames } from '../../core/shown-text.ts';
import { type ImportedRemote, type ImportOutcome, SKIPPED } from '../import-remotes.ts';
import { isHidden } from './draft.ts';
import { MASK } from './option-question.ts';
import {
  ask,
  awaitWork,
  type Found,
  letter,
  letters,
  type Question,
  question,
  type Script,
  sureQuestion,
  type WizardWorld,
} from './step.ts';

/** What becomes of a remote of the other configuration, in a few words. */
const IMPORT_WORDS: Readonly<Record<ImportOutcome, string>> = {
  invalid: `cannot be imported: ${SKIPPED.invalid}`,
  'leads-nowhere': `cannot be imported: ${SKIPPED['leads-nowhere']}`,
  exists: 'exists already, and is kept',
  replaced: 'replaces the existing remote',
  imported: 'will be imported with all settings',
  unchanged: 'is imported already',
};

const listed = (names: readonly string[]) => firstNames(names, 20);

/** What an import has done, with the names of all that it left and why. @param left those without a tick */
export function importedText(remotes: readonly ImportedRemote[], left: readonly string[]): string {
  const of = (outcome: string) => remotes.filter((one) => one.outcome === outcome);
  const taken = of('imported').length + of('replaced').length;
  const skipped = Object.entries(SKIPPED).flatMap(([outcome, why]) => {
    const names = of(outcome).map(({ name }) => name);
    return names.length === 0 ? [] : [`${listed(names)} (${why})`];
  });
  if (left.length > 0) skipped.push(`${listed(left)} (no tick)`);
  const rest = skipped.length === 0 ? '' : ` Not imported: ${skipped.join('; ')}.`;
  return `Imported ${taken} of ${remotes.length + left.length}.${rest}`;
}

/** Puts back what the configuration held before its last change, after showing what that changes. */
export function* undoScript(world: WizardWorld): Script {
  const about = ['Undo the last change of the wizard? This', ...undoChanges(world)].join('\n');
  const isSure = yield* ask(sureQuestion('undo', about));
  return isSure === 'true' ? { type: 'undo', shown: shownIn(world) } : { type: 'nothing' };
}

const shownIn = ({ remotes }: WizardWorld) =>
  new Map(remotes.map(({ name, values }) => [name, values]));

/** What an undo changes, in lines, what it deletes first; secrets are masked. */
function undoChanges(world: WizardWorld): readonly string[] {
  const now = shownIn(world);
  const { kinds, former = new Map() as typeof now } = world;
  const deleted = [...now].filter(([name]) => !former.has(name));
  const restored = [...former].filter(([name]) => !now.has(name));
  const keys = [...now].flatMap(([name, values]) => {
    const before = former.get(name);
    if (before === undefined) return [];
    const kind = kinds.find(({ type }) => type === before.get('type'));
    const masks = (key: string, value: string) =>
      kind === undefined ? value !== '' : isHidden(kind, key, value);
    return [...new Set([...values.keys(), ...before.keys()])]
      .filter((key) => values.get(key) !== before.get(key))
      .map((key) => {
        const value = before.get(key);
        if (value === undefined) return `deletes ${key} of "${name}"`;
        return `sets ${key} of "${name}" to ${masks(key, value) ? MASK : value || 'nothing'}`;
      });
  });
  const lines = [
    ...remotesLine('deletes', deleted),
    ...keys.sort((a, b) => Number(b.startsWith('deletes')) - Number(a.startsWith('deletes'))),
    ...remotesLine('restores', restored),
  ];
  return lines.length > 0 ? lines : ['changes comments or the order of lines only'];
}

/** All remotes of a kind in a sentence, by name and type. */
function remotesLine(
  verb: string,
  remotes: readonly (readonly [string, ReadonlyMap<string, string>])[],
): readonly string[] {
  const named = remotes.map(([name, values]) => `"${name}" (${values.get('type')})`);
  if (named.length === 0) return [];
  const what = named.length === 1 ? 'the remote' : `${counted(named.length, 'remote')}:`;
  return [`${verb} ${what} ${named.join(', ')}`];
}

/** Sets, changes or removes the password of the configuration; the letters are rclone's. */
export function* passwordScript({ isEncrypted }: WizardWorld): Script {
  const unset = letter('u', 'Unset configuration', 'removes encryption');
  const now = isEncrypted ? [letter('c', 'Change Password'), unset] : [letter('a', 'Add Password')];
  const chosen = yield* ask(
    letters({
      id: 'password/what',
      title: isEncrypted ? 'c/u/q' : 'a/q',
      about: `Your configuration is ${isEncrypted ? '' : 'not '}encrypted.`,
      choices: [...now, letter('q', 'Quit to main menu')],
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
  const decided = yield* ask(
    world.isScreen === true ? ticksQuestion(remotes) : importQuestion(remotes),
  );
  if (decided === 'n' || decided === '') return { type: 'nothing' };
  if (world.isScreen !== true) return { type: 'import', path, password, force: decided === 'f' };
  return { type: 'import', path, password, force: true, names: decided.split('\n') };
}

/** The import in lines of text: all new ones, or those that exist, too. */
function importQuestion(remotes: readonly ImportedRemote[]): Question {
  const count = (outcome: ImportOutcome) => remotes.filter((one) => one.outcome === outcome).length;
  // In groups: what cannot be imported, what exists, then the others.
  const list = Object.entries(IMPORT_WORDS).flatMap(([outcome, words]) =>
    remotes
      .filter((one) => one.outcome === outcome)
      .map(({ name, type }) => `${name}${type === '' ? '' : ` (${type})`}: ${words}`),
  );
  const force = { ...letter('f', 'Import and replace existing ones'), needsKey: true };
  const rest = count('exists') + count('imported');
  return letters({
    id: 'import/confirm',
    title: count('exists') === 0 ? 'y/n' : 'y/f/n',
    about: [rest === 0 ? 'Nothing to import.' : 'Import these?', ...list].join('\n'),
    default: count('imported') === 0 ? 'n' : 'y',
    choices: [
      letter('y', `Import ${count('imported')}`),
      ...(count('exists') === 0 ? [] : [force]),
      letter('n', 'Import nothing'),
    ],
  });
}

/** The import on a screen: a tick for each remote; those whose names are taken have none to begin with. */
function ticksQuestion(remotes: readonly ImportedRemote[]): Question {
  const of = (outcome: ImportOutcome) => remotes.filter((one) => one.outcome === outcome);
  const left = (['invalid', 'leads-nowhere', 'unchanged'] as const).flatMap((outcome) => {
    const names = of(outcome).map(({ name }) => name);
    const words = IMPORT_WORDS[outcome].replace(/^is /, '');
    return names.length === 0 ? [] : [`${listed(names)}: ${words}`];
  });
  const replaced = of('exists').map(({ name, type }) => ({
    value: name,
    label: name,
    help: `${type}, replaces the remote of this name`,
  }));
  const added = of('imported').map(({ name, type }) => ({ value: name, label: name, help: type }));
  const choices = [...replaced, ...added];
  const title = choices.length === 0 ? 'Nothing to import.' : 'Which remotes are imported?';
  return question({
    id: 'import/confirm',
    kind: 'ticks',
    title: '',
    about: [title, ...left].join('\n'),
    exclusive: true,
    preset: added.map(({ value }) => value).join('\n'),
    choices,
    remark: (text) => {
      const ticked = new Set(text.split('\n'));
      const names = of('exists').filter(({ name }) => ticked.has(name));
      const named = names.map(({ name, type }) => `${name} (${type})`).join(', ');
      return named === '' ? undefined : `Replaces ${named}.`;
    },
    check: (text) => (text === '' ? 'Tick the remotes to import, or press Esc.' : undefined),
  });
}
