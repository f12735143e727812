import { expect, test } from 'vitest';
import { createRunControl } from '../../../src/engine/run-control.ts';

const soon = () => new Promise<void>((resolve) => setImmediate(resolve));

function start() {
  const ended: string[] = [];
  const control = createRunControl(({ code }) => void ended.push(code));
  return { control, ended, signal: new AbortController().signal };
}

test('is ready at once until it is paused', () => {
  const { control, signal } = start();
  expect(control.ready(signal)).toBeUndefined();
  control.pause();
  expect(control.isPaused).toBe(true);
  expect(control.ready(signal)).toBeInstanceOf(Promise);
});

test('those who wait go on when the pause ends, and not when it is only renewed', async () => {
  const { control, signal } = start();
  control.pause();
  let passed = 0;
  const waiting = Promise.resolve(control.ready(signal)).then(() => passed++);
  control.goOn();
  control.pause();
  await soon();
  expect(passed).toBe(0);
  control.goOn();
  await waiting;
  expect(passed).toBe(1);
  expect(control.isPaused).toBe(false);
});

test('a wait ends with the reason of its signal', async () => {
  const { control } = start();
  const controller = new AbortController();
  control.pause();
  const waiting = control.ready(controller.signal);
  controller.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
});

test('stop ends the pause and tells those who heed it', () => {
  const { control, ended } = start();
  const leave = control.enter();
  control.pause();
  control.stop();
  expect(control.isPaused).toBe(false);
  expect(control.stopping.aborted).toBe(true);
  expect(control.stopping.reason).toMatchObject({ code: 'stopped', exit: 130 });
  control.pause();
  expect(control.isPaused).toBe(false);
  expect(ended).toEqual([]);
  leave();
});

test('stop ends the run at once where nobody heeds it', () => {
  const { control, ended } = start();
  control.enter()();
  control.stop();
  expect(control.stopping.aborted).toBe(false);
  expect(ended).toEqual(['stopped']);
});
