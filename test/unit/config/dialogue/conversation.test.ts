import { expect, test } from 'vitest';
import { answer, back, begin } from '../../../../src/config/dialogue/conversation.ts';
import { ask, question, type Script } from '../../../../src/config/dialogue/step.ts';

test('a question that is asked until an answer leads somewhere is one step back', () => {
  function* script(): Script {
    yield* ask(question({ id: 'first', title: 'first', about: '' }));
    while ((yield* ask(question({ id: 'again', title: 'again', about: '' }))) !== 'good') {}
    return { type: 'nothing' };
  }
  let conversation = begin(script);
  for (const text of ['one', 'bad', 'bad', 'bad']) conversation = answer(conversation, text);
  const before = back(conversation);
  expect(before?.step).toMatchObject({ kind: 'ask', question: { id: 'first' } });
  expect(before && back(before)).toBeUndefined();
});
