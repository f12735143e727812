import { expect, test } from 'vitest';
import { nextStep, type StepParts } from '../../../../commands/config/next-step.ts';
import type { Draft } from '../../../../src/config/dialogue/draft.ts';
import type { SetUpAnswer } from '../../../../src/core/options.ts';
import { KINDS, resultOf } from '../../config/dialogue/walk.ts';

const kind = KINDS.find(({ type }) => type === 'drive_provider_a') ?? KINDS[0];
if (kind === undefined) throw new Error('no kinds');

const draft: Draft = {
  name: 'd',
  kind,
  values: new Map([['client_id', 'i']]),
  original: undefined,
};

function parts(more: Partial<StepParts> = {}): StepParts & { readonly logins: string[] } {
  const logins: string[] = [];
  return {
    logins,
    works: {
      login: async (how) => {
        logins.push(how);
        return '{"access_token":"new"}';
      },
      setUp: async (now, input) => {
        const from = input.state === 'choose_type' ? '' : input.state;
        return resultOf({
          type: 'set-up',
          draft: now,
          input: { ...input, state: from },
        }) as SetUpAnswer;
      },
    },
    choices: new Map(),
    takesDefaults: false,
    followsLogin: true,
    tell: () => {},
    signal: new AbortController().signal,
    ...more,
  };
}

const from = (state: string, result = '') => ({ state, result });

test('all defaults: it logs in by the browser and takes the first of everything', async () => {
  const taken = parts({ takesDefaults: true });
  const { question, draft: done } = await nextStep(draft, from(''), taken);
  expect(question.state).toBe('');
  expect(taken.logins).toEqual(['browser']);
  expect([...done.values]).toEqual([
    ['client_id', 'i'],
    ['token', '{"access_token":"new"}'],
    ['drive_id', 'drive-1'],
    ['drive_type', 'business'],
  ]);
});

test('who gives a token or its JSON logs in nowhere', async () => {
  const token = '{"access_token":"given"}';
  const pasted = parts({ takesDefaults: true, choices: new Map([['config_token', token]]) });
  expect((await nextStep(draft, from(''), pasted)).draft.values.get('token')).toBe(token);
  const given = parts({ takesDefaults: true, choices: new Map([['token', token]]) });
  const withToken = { ...draft, values: new Map([...draft.values, ['token', token]]) };
  expect((await nextStep(withToken, from(''), given)).draft.values.get('drive_id')).toBe('drive-1');
  expect([...pasted.logins, ...given.logins]).toEqual([]);
});

test('another device is a third answer', async () => {
  const asked = parts();
  const { question } = await nextStep(draft, from('*oauth-islocal,choose_type,,', 'device'), asked);
  expect(asked.logins).toEqual(['device']);
  expect(question.option?.['Name']).toBe('config_type');
});

test('an application logs in without a question', async () => {
  const asked = parts();
  const own = { ...draft, values: new Map([...draft.values, ['client_credentials', 'true']]) };
  const { question } = await nextStep(own, from('*oauth,choose_type,,'), asked);
  expect(asked.logins).toEqual(['browser']);
  expect(question.option?.['Name']).toBe('config_type');
});

test('without answers nothing but options is asked', async () => {
  const quiet = parts({ followsLogin: false, takesDefaults: true });
  expect((await nextStep(draft, from(''), quiet)).draft).toEqual(draft);
  expect(quiet.logins).toEqual([]);
});

test.each([
  ['{"a":1}', 'access_token'],
  ['garbage', 'A token starts'],
  ['{', 'Incomplete'],
  ['', 'empty'],
])('after %j as a token the same state goes on, with the error', async (pasted, why) => {
  const state = '*oauth-authorize,choose_type,,';
  const stepped = await nextStep(draft, from(state, pasted), parts());
  expect(stepped).toMatchObject({ question: { state, option: undefined }, draft });
  expect(stepped.error).toMatch(/^config_token: /);
  expect(stepped.error).toContain(why);
  const decided = parts({ takesDefaults: true });
  await expect(nextStep(draft, from(state, pasted), decided)).rejects.toThrow(why);
});

test('a state that is none is refused', async () => {
  await expect(nextStep(draft, from('*oauth-nosuch'), parts())).rejects.toThrow(
    'invalid configuration state',
  );
});

test('with defaults alone a store that refuses is an error', async () => {
  const refusing = parts({
    takesDefaults: true,
    works: {
      login: async () => '{"access_token":"x"}',
      setUp: async () => ({ state: 'choose_type', error: 'no drives' }),
    },
  });
  await expect(nextStep(draft, from(''), refusing)).rejects.toThrow('no drives');
});
