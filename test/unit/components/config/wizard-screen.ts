import { expect } from 'vitest';
import { WizardModel } from '../../../../components/config/wizard-model.ts';
import { WizardView } from '../../../../components/config/wizard-view.tsx';
import { menuScript } from '../../../../src/config/dialogue/menu-script.ts';
import type { TestResult } from '../../../../src/config/dialogue/step.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import { ctrlKey, keysOfText, namedKey } from '../../../../src/terminal/key.ts';
import { type Glyphs, UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import { resultOf, worldOf } from '../../config/dialogue/walk.ts';
import { showScreen } from '../draw-screen.tsx';

const WORLD = worldOf({
  photos: { type: 's3', provider: 'Other', endpoint: 'https://s3.example.com' },
  work: {
    type: 'drive_provider_a',
    token: '{"access_token":"a"}',
    drive_type: 'business',
    drive_id: 'b!x',
  },
  'odd\u001b[31m': { type: 'dropbox' },
});

/** The wizard of a world with three remotes; `test` tests them. */
export function openModel(
  test: () => Promise<TestResult>,
  world = WORLD,
  said = 'done',
): WizardModel {
  const model = new WizardModel(
    {
      look: async () => world,
      script: menuScript,
      repeats: true,
      works: {
        login: (_how, _draft, tell) => {
          tell('To log in, open https://example.com/device on any device and enter the code ABCD');
          tell('█▀▀█\n█▄▄█');
          return new Promise(() => {});
        },
        setUp: async (draft, input) =>
          resultOf({ type: 'set-up', draft, input }) as { state: string },
        readImport: async () => ({
          isLocked: false,
          remotes: [
            { name: 'x', type: 's3', outcome: 'imported' },
            { name: 'photos', type: 's3', outcome: 'exists' },
          ],
        }),
        test,
      },
      carryOut: async () => said,
      signal: new AbortController().signal,
    },
    world,
  );
  model.result.catch(() => {});
  return model;
}

/** A test that finds two entries. */
export const works = async () => ({ entries: 2, hasMore: false, names: ['a', 'b'] });
/** A test that finds a wrong secret. */
export const fails = () =>
  Promise.reject(
    new SyncerError('sign-in', 'cannot list: the secret key is wrong', { fault: 'secret-key' }),
  );
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Presses keys: letters as they are, `⏎` Enter, `⎋` Escape, `⇥` Tab, `^` Ctrl with the next letter. */
export async function press(model: WizardModel, keys: string): Promise<void> {
  const letters = [...keys];
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] ?? '';
    if (letter === '⏎') model.press(namedKey('enter'));
    else if (letter === '⎋') model.press(namedKey('escape'));
    else if (letter === '⇥') model.press(namedKey('tab'));
    else if (letter === '^') model.press(ctrlKey(letters[++at] ?? ''));
    else for (const key of keysOfText(letter)) model.press(key);
    await settle();
  }
}

/** What the screen shows, its lines without blanks at their ends. */
export function frame(
  model: WizardModel,
  columns: number,
  rows: number,
  glyphs: Glyphs = UNICODE_GLYPHS,
) {
  const { draw } = showScreen(model, WizardView, 'config');
  const lines = draw({ columns, rows }, { colour: false, glyphs, plain: false });
  expect(lines).toHaveLength(rows);
  return lines;
}

/** The keys up to the secret of a remote of S3. */
export const TO_SECRET = 'nstore⏎1⏎Other⏎nAK⏎sk';
