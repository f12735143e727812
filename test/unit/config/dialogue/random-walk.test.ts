import fc from 'fast-check';
import { expect, test } from 'vitest';
import { enteredValue } from '../../../../components/config/entry.ts';
import { WizardModel } from '../../../../components/config/wizard-model.ts';
import { menuScript } from '../../../../src/config/dialogue/menu-script.ts';
import { isConfirm } from '../../../../src/config/dialogue/option-question.ts';
import { newRemote } from '../../../../src/config/dialogue/remote-script.ts';
import type { Outcome, WizardParts } from '../../../../src/config/dialogue/step.ts';
import { ctrlKey, type Key, keysOfText, namedKey, pasteKey } from '../../../../src/terminal/key.ts';
import { resultOf, worldOf } from './walk.ts';

const WORLD = worldOf({
  store: { type: 's3', provider: 'Other', access_key_id: 'AK', secret_access_key: 'sk' },
  od: { type: 'drive_provider_a', token: '{"access_token":"a"}', drive_id: 'd' },
});

function openModel(parts: Partial<WizardParts> = {}) {
  const written: Outcome[] = [];
  const never = new AbortController().signal;
  const model = new WizardModel(
    {
      look: async () => WORLD,
      script: menuScript,
      repeats: true,
      works: {
        login: async (how, draft) => resultOf({ type: 'login', how, draft }) as string,
        setUp: async (draft, input) =>
          resultOf({ type: 'set-up', draft, input }) as { state: string },
        readImport: async () => ({ isLocked: false, remotes: [] }),
        test: async () => ({ entries: 0, hasMore: false, names: [] }),
      },
      carryOut: async (outcome) => {
        written.push(outcome);
        return 'done';
      },
      signal: never,
      ...parts,
    },
    WORLD,
  );
  model.result.catch(() => {});
  return { model, written };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** What the question on the screen is, and what is entered there. */
function seen({ state }: WizardModel) {
  const { step } = state.conversation;
  if (step.kind !== 'ask') return step.kind;
  return {
    id: step.question.id,
    entered: enteredValue(step.question, state.entry),
    draft: [...(step.draft?.values ?? [])],
  };
}

test('Esc at the first question of a dialogue without the menu ends it', async () => {
  const { model } = openModel({ script: newRemote, repeats: false });
  model.press(namedKey('escape'));
  await expect(model.result).resolves.toBe('');
});

test('a masked field is empty after an error', async () => {
  const { model, written } = openModel();
  const type = async (keys: string) => {
    for (const key of keysOfText(keys)) model.press(key);
    model.press(namedKey('enter'));
    await settle();
  };
  for (const key of keysOfText('sa')) model.press(key);
  for (const keys of ['one', 'two', 'pw', 'pw']) await type(keys);
  expect(written).toEqual([{ type: 'password', password: 'pw' }]);
  await settle();
  for (const key of keysOfText('nx')) model.press(key);
  model.press(namedKey('enter'));
  for (const keys of ['1', 'Other']) await type(keys);
  for (const key of keysOfText('n')) model.press(key);
  await type('AK');
  model.press(pasteKey('one\ntwo'));
  model.press(namedKey('enter'));
  expect(seen(model)).toMatchObject({ entered: '' });
  expect(model.state.wrong).toBe('The value must be on one line.');
});

const anyKey: fc.Arbitrary<Key> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(namedKey('enter')) },
  { weight: 3, arbitrary: fc.constantFrom(namedKey('escape'), namedKey('down'), namedKey('up')) },
  { weight: 5, arbitrary: fc.constantFrom(...keysOfText('nerdyais123x/lo')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(namedKey('tab'), ctrlKey('r'), ctrlKey('g'), namedKey('backspace')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(pasteKey('{"access_token":"x"}'), pasteKey('two\nlines')),
  },
);

/** Whether Enter or a letter may confirm now: everything that writes is one answer to one of these. */
function mayWrite({ state }: WizardModel): boolean {
  const { step } = state.conversation;
  return (
    step.kind === 'ask' && /confirm$|^delete |^rename |^copy |^password\//.test(step.question.id)
  );
}

test('nothing is written before it is confirmed, whatever is pressed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyKey, { maxLength: 60 }), async (keys) => {
      const { model, written } = openModel();
      for (const key of keys) {
        const before = written.length;
        const might = mayWrite(model);
        model.press(key);
        await settle();
        model.resize({ columns: 40, rows: 12 });
        if (!might) expect(written).toHaveLength(before);
      }
    }),
    { numRuns: 150 },
  );
});

test('going back and forward again finds everything as it was', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyKey, { maxLength: 40 }),
      fc.integer({ min: 1, max: 6 }),
      async (keys, steps) => {
        const { model, written } = openModel();
        const press = async (key: Key) => {
          model.press(key);
          await settle();
        };
        for (const key of keys) await press(key);
        if (model.state.page !== 'question') await press(namedKey('escape'));
        const asked = model.state.conversation.given.filter(({ kind }) => kind === 'answer');
        const back = Math.min(steps, asked.length - 1);
        const start = seen(model);
        const count = written.length;
        if (back <= 0 || typeof start === 'string') return;
        const again = asked
          .slice(asked.length - back)
          .map((one) => (one.kind === 'answer' ? one.text : ''));
        for (let at = 0; at < back; at++) await press(namedKey('escape'));
        for (const text of again) {
          const { step } = model.state.conversation;
          const kept =
            step.kind === 'ask' ? model.state.conversation.kept.get(step.question.id) : undefined;
          // The last question starts at its first answer.
          if (step.kind === 'ask' && isConfirm(step.question)) return;
          // A question that was asked twice keeps its last answer.
          if (kept !== text) return;
          await press(namedKey('enter'));
        }
        expect(seen(model)).toEqual(start);
        expect(written).toHaveLength(count);
      },
    ),
    { numRuns: 150 },
  );
});

test('Ctrl-C leaves at every place, and writes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyKey, { maxLength: 40 }), async (keys) => {
      const { model, written } = openModel();
      let isOver = false;
      model.result.then(() => (isOver = true)).catch(() => {});
      for (const key of keys) {
        model.press(key);
        await settle();
      }
      if (isOver) return;
      const count = written.length;
      model.press(ctrlKey('c'));
      await expect(model.result).rejects.toMatchObject({ code: 'interrupted' });
      expect(written).toHaveLength(count);
    }),
    { numRuns: 100 },
  );
});
