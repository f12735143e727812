import { ask, letters, question, type Script } from './step.ts';
import type { WizardWorld } from './wizard-world.ts';

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
  if (chosen === 'u') return { type: 'password', password: undefined };
  const first = yield* ask(
    question({
      id: 'password/new',
      title: 'password',
      about:
        'Enter NEW configuration password. Without it nobody can read the configuration: there is no way around.',
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
