import { expect, test } from 'vitest';
import { dumpAnswer } from '../../../../src/webhook/server/answer-hook.ts';

test('-debug shows a response of more lines than a call takes arguments', () => {
  const body = Buffer.from('\n'.repeat(200_000));
  const shown = dumpAnswer('1', { status: 200, headers: [], body }, (text) => text);
  expect(shown.split('\n').length).toBeGreaterThan(130_000);
});
