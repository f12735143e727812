import type { ImportOutcome } from '../config/import-remotes.ts';
import { ask, awaitWork, letters, question, type Script } from './step.ts';
import type { WizardWorld } from './wizard-world.ts';
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
  const force = { value: 'f', key: 'f', label: 'Import and replace remotes with the same name' };
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
