import { expect, test } from 'vitest';
import { nextQuestion } from '../../../src/config/config-questions.ts';
import type { BackendKind } from '../../../src/config/option-sources.ts';

const KIND: BackendKind = {
  type: 'k',
  options: [
    {
      name: 'provider',
      type: 'string',
      help: 'Whose.',
      examples: [{ value: 'A', help: 'a' }],
    },
    {
      name: 'region',
      type: 'string',
      help: 'Where.',
      examples: [
        { value: 'x', help: 'x', provider: ['A'] },
        { value: 'y', help: 'y', provider: ['B'] },
      ],
    },
    { name: 'cutoff', type: 'size', help: 'Size.', default: '200Mi', advanced: true },
  ],
};

/** Answers questions in turn until none comes; gives the names that were asked, and the values at the end. */
function interview(answers: readonly string[], choices: Record<string, string> = {}) {
  const asked: string[] = [];
  let values: ReadonlyMap<string, string> = new Map([['type', 'k']]);
  let input = { state: '*all', result: '' };
  for (;;) {
    const step = nextQuestion(KIND, values, input, new Map(Object.entries(choices)), false);
    values = step.values;
    const { state, option } = step.question;
    if (option === undefined) return { asked, values: Object.fromEntries(values) };
    input = { state, result: answers[asked.length] ?? String(option['DefaultStr']) };
    asked.push(String(option['Name']));
  }
}

test('asks the plain options, then whether the advanced ones are wanted', () => {
  expect(interview(['A', 'x'])).toEqual({
    asked: ['provider', 'region', 'config_fs_advanced'],
    values: { type: 'k', provider: 'A', region: 'x' },
  });
});

test('the advanced ones are asked once, and a default is not stored', () => {
  expect(interview(['', '', 'true', '200Mi'])).toEqual({
    asked: ['provider', 'region', 'config_fs_advanced', 'cutoff'],
    values: { type: 'k' },
  });
});

test('an option of three states that stays unset is not stored', () => {
  const options = [{ name: 'force', type: 'bool', help: 'Whether.' }] as const;
  const kind: BackendKind = { type: 'k', options };
  const first = nextQuestion(kind, new Map(), { state: '*all', result: '' }, new Map(), false);
  const { state, option } = first.question;
  const answer = { state, result: String(option?.['DefaultStr']) };
  expect(answer.result).toBe('unset');
  expect([...nextQuestion(kind, new Map(), answer, new Map(), false).values]).toEqual([]);
});

test('what is answered beforehand is not asked, and cannot make it go in circles', () => {
  const choices = { provider: 'B', config_fs_advanced: 'true', cutoff: '1Gi' };
  expect(interview(['y'], choices)).toEqual({
    asked: ['region'],
    values: { type: 'k', provider: 'B', region: 'y', cutoff: '1Gi' },
  });
});

test('a question has the examples of the provider, and what is stored as its default', () => {
  const values = new Map([
    ['provider', 'B'],
    ['region', 'z'],
  ]);
  const input = { state: '*all,1,false', result: '' };
  const { question } = nextQuestion(KIND, values, input, new Map(), false);
  expect(question).toMatchObject({
    state: '*all-set,1,false',
    option: { Name: 'region', Default: 'z', Examples: [{ Value: 'y', Help: 'y', Provider: 'B' }] },
  });
});

test('nothing is asked without --all, and defaults are taken where that is wanted', () => {
  const none = nextQuestion(KIND, new Map(), { state: '', result: '' }, new Map(), false);
  expect(none.question).toEqual({ state: '', option: undefined });
  const all = nextQuestion(KIND, new Map(), { state: '*all', result: '' }, new Map(), true);
  expect({ ...all, values: [...all.values] }).toEqual({ question: none.question, values: [] });
});

test.each(['*nosuch', '*all,x,false', '*all,-1,false', '*all,4,false', '*oauth'])(
  'a state that is none is refused: %s',
  (state) => {
    const input = { state, result: '' };
    expect(() => nextQuestion(KIND, new Map(), input, new Map(), false)).toThrow(
      expect.objectContaining({ code: 'command-line' }),
    );
  },
);

test.each(['junk', '*junk', '*all-junk,0,false', '*all,99,false', '*all,zz,false'])(
  'the state %s is none',
  (state) => {
    const input = { state, result: 'y' };
    expect(() => nextQuestion(KIND, new Map(), input, new Map(), false)).toThrow(
      'invalid configuration state',
    );
  },
);
