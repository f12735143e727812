import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRunControl } from '../../../../src/engine/run-control.ts';
import { ProgressView } from '../../../../src/run/progress/progress-view.ts';
import type { JobControl } from '../../../../src/shell/process/job-control.ts';
import { ProgressState } from '../../../../src/shell/progress/progress-state.ts';
import { UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import { span } from '../../../../src/terminal/span.ts';
import { fakedClock } from '../../../support/manual-clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A terminal with a keyboard, and a shell that moves the job between foreground and background. */
function start({
  foreground = true,
  hasKeys = true,
  isFixed = false,
  isAttached = false,
  isOneLine = false,
} = {}) {
  const written: string[] = [];
  const calls: string[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (raw: boolean) => void calls.push(raw ? 'raw' : 'cooked'),
  });
  const shell = { foreground, onStop: () => {}, onContinue: () => {}, exit: () => {} };
  let resumeJob = () => {};
  const job: JobControl = {
    isForeground: () => shell.foreground,
    readSize: () => {},
    suspend: () => {
      calls.push('suspended');
      return new Promise<void>((resolve) => {
        resumeJob = resolve;
      });
    },
    interrupt: () => void calls.push('interrupted'),
    quit: () => void calls.push('quit'),
    listen(onStop, onContinue) {
      Object.assign(shell, { onStop, onContinue });
      return () => void calls.push('no longer listening');
    },
    atExit(exit) {
      Object.assign(shell, { exit });
      return () => {};
    },
  };
  const control = createRunControl(() => void calls.push('ended'));
  const limits: number[] = [];
  const view = new ProgressView({
    terminal: { write: (text) => void written.push(text), size: () => ({ columns: 80, rows: 24 }) },
    state: new ProgressState(fakedClock.monotonic()),
    clock: fakedClock,
    look: { colour: false, glyphs: UNICODE_GLYPHS, plain: false },
    unit: 'bytes',
    job,
    control,
    input,
    hasKeys,
    ...(isFixed ? { isFixed } : {}),
    ...(isOneLine ? { instead: () => [[span('one line')]] } : {}),
    ...(isAttached ? { attached: { name: 'copy', isFixed: false, detach: () => {} } } : {}),
    summary: () => [[span('the sums')]],
  });
  view.steer({ limitTo: (rate) => void limits.push(rate), limit: () => limits.at(-1) });
  const text = () => written.join('').replaceAll(/\x1b\[[\d;?]*[A-Za-z]/g, '');
  const type = async (keys: string) => {
    for (const key of keys) input.write(key);
    await vi.advanceTimersByTimeAsync(300);
  };
  return {
    view,
    shell,
    control,
    calls,
    limits,
    written,
    input,
    text,
    type,
    resume: () => resumeJob(),
  };
}

const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('is drawn at most every tenth of a second, however much is printed', async () => {
  const { view, written } = start();
  await after(1000);
  const before = written.length;
  for (let n = 0; n < 100; n++) {
    view.print(`line ${n}\n`);
    await after(10);
  }
  expect(written.length - before).toBeLessThanOrEqual(11);
  await after(200);
  expect(written.join('')).toContain('line 99');
});

test('keys steer the run', async () => {
  const { control, limits, calls, type, text } = start();
  await after(300);
  await type('p');
  expect(control.isPaused).toBe(true);
  await type('p');
  expect(control.isPaused).toBe(false);
  await type('+');
  expect(control.slots.wanted).toBe(1);
  await type('++');
  await type('-');
  expect(control.slots.wanted).toBe(2);
  await type('b');
  await type('1M\r');
  expect(limits).toEqual([1024 ** 2]);
  expect(text()).toContain('(limit 1.0 MiB/s)');
  control.enter();
  await type('\x03');
  expect(control.stopping.aborted).toBe(true);
  expect(calls).not.toContain('interrupted');
  await type('\x03');
  expect(calls).toContain('interrupted');
});

test('what was typed before the view was there is no key, but Ctrl-C is one', async () => {
  const { control, calls, type } = start();
  await type('pq');
  expect(control.isPaused).toBe(false);
  expect(calls).not.toContain('ended');
  const early = start();
  await early.type('\x03');
  expect(early.calls).toContain('ended');
});

test('what is pasted or typed for the shell steers nothing', async () => {
  const { control, calls, limits, input, type, text } = start();
  await after(300);
  for (const piece of ['\x1b[200~quick', ' question\n', 'q\x1b[201', '~']) input.write(piece);
  await after(1000);
  await type('quick question\r');
  await type('cp -p from to\r');
  for (const key of 'scp x host:\rls fast:stop\recho b 1k\r') {
    input.write(key);
    await after(120);
  }
  input.write('yes y\ny');
  await after(1000);
  expect(control.stopping.aborted).toBe(false);
  expect(control.isPaused).toBe(false);
  expect(limits).toEqual([]);
  expect([control.slots.width, calls]).toEqual([0, ['cooked', 'raw']]);
  await type('b');
  input.write('\x1b[200~2M\x1b[201~');
  await type('\r');
  expect(text()).toContain('(limit 2.0 MiB/s)');
  await type('q');
  expect(calls).toContain('ended');
});

test('Ctrl-C stops a run while a paste has no end', async () => {
  const { calls, input, type } = start();
  await after(300);
  input.write('\x1b[200~text');
  await type('more');
  expect(calls).not.toContain('ended');
  await type('\x03');
  expect(calls).toContain('ended');
});

test('pastes are marked while there are keys', async () => {
  const { view, written } = start();
  await after(500);
  view.finish();
  const marks = written.join('').match(/\x1b\[\?2004[hl]/g);
  expect(marks).toEqual(['\x1b[?2004h', '\x1b[?2004l']);
});

test('in the background nothing of the terminal is touched but to print, until it comes to the front', async () => {
  const { view, shell, calls, written } = start({ foreground: false });
  await after(1000);
  expect([calls, written]).toEqual([[], []]);
  view.print('a line\n');
  expect(written).toEqual(['a line\n']);
  shell.foreground = true;
  await after(500);
  expect(calls).toEqual(['cooked', 'raw']);
  expect(written.join('')).toContain('files 0 of 0');
});

test('Ctrl-Z gives the terminal back before the job stops; bg stays away, fg comes back', async () => {
  const { shell, calls, written, type, resume } = start();
  await after(300);
  await type('\x1a');
  expect(calls).toEqual(['cooked', 'raw', 'cooked', 'suspended']);
  expect(written.at(-1)).toMatch(/\x1b\[\?25h$/);
  const stopped = written.length;
  shell.foreground = false;
  resume();
  shell.onContinue();
  await after(1000);
  expect(written).toHaveLength(stopped);
  shell.foreground = true;
  await after(500);
  expect(calls.slice(-2)).toEqual(['cooked', 'raw']);
  expect(written.length).toBeGreaterThan(stopped);
});

test('stopped without a word and continued in the background it touches nothing of the terminal', async () => {
  const { shell, calls, written, view } = start();
  await after(500);
  const [before, called] = [written.length, calls.length];
  shell.foreground = false;
  shell.onContinue();
  await after(1000);
  expect(written).toHaveLength(before);
  expect(calls).toHaveLength(called);
  view.finish();
  expect(calls.slice(called)).toEqual(['no longer listening']);
});

test('at its end the sums are in its place and the terminal is as it was', async () => {
  const { view, calls, written, text } = start();
  await after(500);
  view.print('last line\n');
  view.finish();
  expect(text()).toMatch(/last line\nthe sums\n$/);
  expect(written.at(-1)).toMatch(/\x1b\[\?25h$/);
  expect(calls.slice(-2)).toEqual(['cooked', 'no longer listening']);
  const end = written.length;
  await after(1000);
  expect(written).toHaveLength(end);
});

test('a process that ends in mid-run leaves the terminal as it was', async () => {
  const { shell, calls, written } = start();
  await after(500);
  shell.exit();
  expect(calls.at(-1)).toBe('cooked');
  expect(written.at(-1)).toMatch(/\x1b\[\?25h$/);
});

test('it steps aside for a screen, and what is printed meanwhile is told when it comes back', async () => {
  const { view, shell, written, calls } = start();
  await after(500);
  const comeBack = view.stepAside();
  const aside = written.length;
  view.print('meanwhile\n');
  shell.onStop();
  shell.onContinue();
  await after(1000);
  expect(written).toHaveLength(aside);
  expect(calls).not.toContain('suspended');
  comeBack();
  await after(500);
  expect(written.slice(aside).join('')).toContain('meanwhile\n');
});

test('it comes back when the last of several that it stepped aside for has gone', async () => {
  const { view, written } = start();
  await after(500);
  const screenGone = view.stepAside();
  const promptGone = view.stepAside();
  const aside = written.length;
  promptGone();
  await after(1000);
  expect(written).toHaveLength(aside);
  screenGone();
  await after(1000);
  expect(written.length).toBeGreaterThan(aside);
});

test('whoever reads standard input has it for itself', async () => {
  const { view, calls, written, control, type } = start();
  await after(500);
  view.leaveInput();
  const left = written.length;
  await type('q');
  expect(control.stopping.aborted).toBe(false);
  expect(calls.at(-1)).toBe('cooked');
  expect(written).toHaveLength(left);
});

test('without keys the mode of the terminal is never changed', async () => {
  const { calls, text } = start({ hasKeys: false });
  await after(500);
  expect(calls).toEqual([]);
  expect(text()).not.toContain('pause');
});

test('of a command that only watches: no key changes the run, and q ends the command', async () => {
  const { view, calls, limits, control, text, type } = start({ isFixed: true });
  vi.advanceTimersByTime(1000);
  await type('p+b1\r');
  vi.advanceTimersByTime(1000);
  expect(control.isPaused).toBe(false);
  expect([control.slots.width, limits]).toEqual([0, []]);
  expect(text()).toContain('q detach');
  expect(text()).not.toMatch(/pause|transfers|limit/);
  expect(calls).not.toContain('ended');
  await type('q');
  expect(calls).toContain('ended');
  view.finish(undefined);
});

test('after Ctrl-Z and fg the question of attach is drawn again before a key confirms it', async () => {
  const { calls, text, type, resume } = start({ isAttached: true });
  await after(300);
  await type('s');
  expect(text()).toContain('y yes, stop it');
  await type('\x1a');
  resume();
  await after(0);
  await type('y');
  expect(calls).not.toContain('ended');
  await type('y');
  expect(calls).toContain('ended');
});

test('a key that is held down does not stop the run of attach', async () => {
  const { calls, input, text, type } = start({ isAttached: true });
  await after(300);
  input.write('s');
  await after(220);
  for (let times = 0; times < 60; times++) {
    input.write('y');
    await after(33);
  }
  await after(1000);
  expect(text()).toContain('y yes, stop it');
  expect(calls).not.toContain('ended');
  await type('y');
  expect(calls).toContain('ended');
});

test('a view of one line shows what a key opens', async () => {
  const { type, text, limits, written } = start({ isOneLine: true });
  await after(500);
  expect(text()).not.toContain('p pause');
  await type('?');
  expect(text()).toContain('pause or resume');
  for (const key of ['?', 'b']) await type(key);
  expect(text()).toMatch(/one line[\s\S]*limit: {3}500k, 10M, off/);
  await type('1M\r');
  expect(limits).toEqual([1024 ** 2]);
  written.length = 0;
  await type('p');
  expect(text()).toContain('p resume');
  expect(text()).not.toContain('files 0 of 0');
});
