import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runWizardAsText } from '../../../../../commands/config/wizard/open-wizard.ts';
import {
  ask,
  question,
  type Script,
  sureQuestion,
} from '../../../../../src/config/dialogue/step.ts';
import { fakedClock } from '../../../../support/manual-clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A dialogue that asks for a name and whether to delete it; its text, and how often that was confirmed. */
function start(isTTY: boolean) {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const said = { text: '', confirmed: 0 };
  function* script(): Script {
    yield* ask(question({ id: 'name', title: 'name', about: '' }));
    if ((yield* ask(sureQuestion('sure', 'Delete?'))) === 'true') said.confirmed++;
    return { type: 'quit' };
  }
  const parts = { look: async () => ({ nowMs: 0 }), script };
  const out = {
    write: async (text: string) => {
      said.text += text;
    },
  };
  const invocation = { context: { clock: fakedClock }, out, input: () => stdin };
  return { stdin, said, ended: runWizardAsText(parts as never, invocation as never) };
}

test('on a terminal no line confirms a deletion that was typed ahead', async () => {
  const { stdin, said, ended } = start(true);
  stdin.write('one\ny\ny\n');
  await vi.advanceTimersByTimeAsync(1000);
  expect(said.text).toMatch(/y\/n> Typed too early: it does not count\.\ny\/n> $/);
  expect(said.confirmed).toBe(0);
  stdin.write('y\n');
  await ended;
  expect(said.confirmed).toBe(1);
});

test('the lines of a script confirm it', async () => {
  const { stdin, said, ended } = start(false);
  stdin.end('one\ny\n');
  await ended;
  expect(said.confirmed).toBe(1);
});
