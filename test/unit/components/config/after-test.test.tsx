import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import { worldOf } from '../../config/dialogue/walk.ts';
import { fails, frame, openModel, press, TO_SECRET, works } from './wizard-screen.ts';

/** Down to the form of a new remote. */
const TO_END = `${TO_SECRET}⏎⏎localhost⏎n`;
const screen = (model: ReturnType<typeof openModel>, columns = 120) =>
  frame(model, columns, 24).join('\n');

test('after a failed test the cursor is on the field that is wrong, with the reason', async () => {
  const model = openModel(fails);
  await press(model, TO_END);
  expect(screen(model)).toContain('❯ ✗ secret_access_key  ••••••••  cannot list: the');
  expect(screen(model)).toContain('→ Go back to secret_access_key and paste');
  await press(model, '⏎2');
  expect(screen(model)).toMatch(/❯ {3}secret_access_key {2}•(?!•)/);
  await press(model, '⏎');
  expect(model.state.conversation.step).toMatchObject({ question: { id: 'new/s3/confirm' } });
});

test('Enter, however long it is held, saves nothing; s saves while the test runs', async () => {
  const model = openModel(() => new Promise(() => {}));
  await press(model, `${TO_END}${'⏎'.repeat(20)}`);
  expect(model.state.isWriting).toBe(false);
  await press(model, '⎋s');
  if (model.state.page === 'leave') await press(model, 'ns');
  expect(screen(model)).toContain('done');
});

const CHANGED = worldOf({
  store: { type: 's3', access_key_id: 'AK', secret_access_key: 'sk', chunk_size: '8Mi' },
});

test('the form of a stored remote: fields, marks and what saving loses', async () => {
  const model = openModel(works, CHANGED);
  await press(model, '⏎');
  const first = screen(model);
  expect(first).toContain('secret_access_key  ••••••••');
  expect(first).toContain('chunk_size         8Mi');
  expect(first).toContain('advanced, without a value (a shows them)');
  expect(first).not.toContain('sk');
  await press(model, 'a');
  expect(screen(model)).toContain('session_token');
  await press(model, 'ajjj⏎^u⏎');
  expect(screen(model)).toContain('❯ ● secret_access_key    deleted');
  await press(model, 'jj⏎host⏎');
  expect(screen(model)).toContain('❯ ● endpoint           host  new');
  await press(model, 's');
  expect(screen(model)).toContain('│ Saving deletes the stored secret_access_key.');
  await press(model, '⏎');
  expect(model.state.isWriting).toBe(false);
  await press(model, '⎋');
  expect(screen(model, 80)).toContain('Discard the changes to "store"?');
  await press(model, 'y');
  expect(screen(model)).toContain('Current remotes:');
});

test('leaving an unchanged form asks nothing; t tests, and later changes are tested again', async () => {
  let tests = 0;
  const model = openModel(() => {
    tests++;
    return Promise.reject(new SyncerError('other', 'out of order'));
  }, CHANGED);
  await press(model, '⏎');
  expect(tests).toBe(0);
  await press(model, 't');
  expect(screen(model)).toContain('✗ Test failed: out of order');
  await press(model, 'jjjjj⏎host⏎');
  expect(tests).toBe(2);
  await press(model, '⏎^u⏎⎋');
  expect(screen(model)).toContain('Current remotes:');
});

test('an unknown provider is warned of', async () => {
  const model = openModel(works);
  await press(model, 'nstore⏎1⏎xyz');
  expect(screen(model)).toContain('"xyz" is not a provider that syncer knows');
});
