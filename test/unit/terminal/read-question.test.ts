import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ReadQuestion } from '../../../src/terminal/read-question.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A question that is shown, in a process that `stall` keeps from its timers. */
function shown() {
  let stalledMs = 0;
  const question = new ReadQuestion(() => performance.now() + stalledMs);
  question.show();
  return {
    question,
    pass: (ms: number) => vi.advanceTimersByTime(ms),
    stall(ms: number) {
      stalledMs += ms;
    },
  };
}

test('a key is no answer if it was typed while the process was stopped', () => {
  const { question, pass, stall } = shown();
  pass(1000);
  stall(300);
  expect(question.take()).toBe(false);
  pass(200);
  expect(question.take()).toBe(true);
});

test('nor if a timer ran between the stop and the key', () => {
  const { question, pass, stall } = shown();
  pass(1000);
  stall(300);
  pass(50);
  expect(question.take()).toBe(false);
  pass(200);
  expect(question.take()).toBe(true);
});

test('a short delay changes nothing', () => {
  const { question, pass, stall } = shown();
  pass(1000);
  stall(90);
  expect(question.take()).toBe(true);
});

test('no timer remains when the question is gone', () => {
  const { question } = shown();
  question.hide();
  expect(vi.getTimerCount()).toBe(0);
  question.show();
  question.show();
  expect(vi.getTimerCount()).toBe(1);
});
