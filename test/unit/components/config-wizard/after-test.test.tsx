import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import { fails, frame, openModel, press, TO_SECRET, works } from './wizard-frame.tsx';

/** Down to the last question. */
const TO_END = `${TO_SECRET}⏎⏎localhost⏎n`;
const screen = (model: ReturnType<typeof openModel>) => frame(model, 100, 24).join('\n');

test('after a failed test Enter edits the field that is wrong, and comes back', async () => {
  const model = openModel(fails);
  await press(model, TO_END);
  expect(screen(model)).toContain('❯ e  Edit this remote');
  await press(model, '⏎');
  expect(screen(model)).toContain('secret_access_key:');
  await press(model, '2⏎');
  expect(screen(model)).toContain('Keep this "store" remote?');
});

test('a failure without a field leads to the list of options', async () => {
  const model = openModel(() => Promise.reject(new SyncerError('other', 'out of order')));
  await press(model, `${TO_END}e`);
  expect(screen(model)).toContain('Select the option to edit.');
  await press(model, 'endp⏎');
  expect(screen(model)).toContain('endpoint: localhost');
});

test('after a passed test the cursor is on Save, also where Edit was chosen before', async () => {
  const model = openModel(works);
  await press(model, `${TO_END}eendp⏎2⏎`);
  expect(screen(model)).toContain('❯ y  Yes this is OK');
});

test('Enter does not save while the test runs', async () => {
  const model = openModel(() => new Promise(() => {}));
  await press(model, `${TO_END}⏎⏎⏎`);
  expect(screen(model)).toContain('Press y to save without waiting for the test.');
});

test('an unknown provider is warned of', async () => {
  const model = openModel(works);
  await press(model, 'nstore⏎1⏎xyz');
  expect(screen(model)).toContain('"xyz" is not a provider that syncer knows');
});
