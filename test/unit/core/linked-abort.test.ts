import { expect, it } from 'vitest';
import { linkedAbort } from '../../../src/core/context.ts';

it('follows whichever signal is aborted first, with its reason', () => {
  const [a, b] = [new AbortController(), new AbortController()];
  const { signal } = linkedAbort(a.signal, b.signal);
  expect(signal.aborted).toBe(false);
  b.abort(new Error('second'));
  a.abort(new Error('first'));
  expect(signal.aborted).toBe(true);
  expect(signal.reason).toEqual(new Error('second'));
});

it('is aborted at once where a signal already is', () => {
  const { signal } = linkedAbort(new AbortController().signal, AbortSignal.abort('gone'));
  expect(signal.reason).toBe('gone');
});

it('can be aborted by itself and leaves the others alone', () => {
  const a = new AbortController();
  const linked = linkedAbort(a.signal);
  linked.abort('own');
  a.abort('later');
  expect(linked.signal.reason).toBe('own');
});
