import { expect, test } from 'vitest';
import type { Draft } from '../../../../src/config/dialogue/draft.ts';
import {
  commandLine,
  draftWith,
  optionQuestion,
  previewLines,
} from '../../../../src/config/dialogue/option-question.ts';
import { KINDS } from './walk.ts';

const kind = KINDS.find(({ type }) => type === 's3') ?? KINDS[0];
if (kind === undefined) throw new Error('no kinds');
const option = kind.options.find(({ name }) => name === 'secret_access_key');
if (option === undefined) throw new Error('no option');

const draft: Draft = {
  name: 'my photos',
  kind,
  values: new Map([
    ['provider', 'Other'],
    ['odd_password', 'x'],
  ]),
  original: undefined,
};
const question = { ...optionQuestion(option, ''), id: 'new/s3/secret_access_key' };
const step = { kind: 'ask', question, draft } as const;

test('shows what is typed in its line, secrets masked, also of keys that nobody knows', () => {
  const now = draftWith(step, 'top secret');
  if (now === undefined) throw new Error('no draft');
  expect(previewLines(now, step, false)).toEqual([
    { text: '[my photos]', isCurrent: false },
    { text: 'type = s3', isCurrent: false },
    { text: 'provider = Other', isCurrent: false },
    { text: 'odd_password = ***', isCurrent: false },
    { text: 'secret_access_key = ***', isCurrent: true },
  ]);
  expect(previewLines(now, step, true).at(-1)?.text).toBe('secret_access_key = top secret');
  expect(commandLine(now, false)).toBe(
    "syncer config create 'my photos' s3 provider=Other odd_password=*** secret_access_key=***",
  );
  expect(commandLine(now, true)).toContain("'secret_access_key=top secret'");
});

test('lines that are refused are not shown as a value', () => {
  expect(draftWith(step, 'one\ntwo')).toBe(draft);
});

test('a change is told as what it changes', () => {
  const original = new Map([...draft.values, ['region', 'x']]);
  const changed = { ...draft, original, values: new Map([['provider', 'AWS']]) };
  expect(commandLine(changed, false)).toBe(
    "syncer config update 'my photos' provider=AWS odd_password= region=",
  );
});
