import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lineAsker } from '../../../../src/shell/interactive/input-lines.ts';
import { openRawKeys } from '../../../../src/shell/process/raw-keys.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function dialogue(isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const said = { text: '' };
  const print = async (text: string) => {
    said.text += text;
  };
  const signals = new EventEmitter();
  const ask = lineAsker(input, print, () => performance.now(), signals);
  return { input, said, signals, ask };
}

const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('on a terminal what was typed ahead is discarded, and the question is asked again', async () => {
  const { input, said, ask } = dialogue(true);
  for (let times = 0; times < 8; times++) input.write('y\n');
  const answer = ask('delete "a"? ');
  await after(150);
  input.write('y\n');
  await after(190);
  expect(said.text).toBe('delete "a"? ');
  await after(100);
  expect(said.text).toBe('delete "a"? Typed too early: it does not count.\ndelete "a"? ');
  await after(300);
  input.write('n\n');
  expect(await answer).toBe('n');
  await after(1000);
  expect(said.text.match(/delete/g)).toHaveLength(2);
});

test('answers of a terminal are no part of a line', async () => {
  const { input, ask } = dialogue(true);
  const answer = ask('delete "a"? ');
  await after(300);
  input.write('\x1b]11;rgb:00/00/00\x07n\x1b[B\x1bP>|y\x1b\\\n');
  expect(await answer).toBe('n');
});

test('lines typed together answer one question', async () => {
  const { input, said, ask } = dialogue(true);
  const first = ask('first? ');
  await after(300);
  input.write('\n\n\n');
  expect(await first).toBe('');
  const second = ask('second? ');
  await after(1000);
  input.write('n\n');
  expect(await second).toBe('n');
  expect(said.text).toBe('first? second? Typed too early: it does not count.\nsecond? ');
});

test('the lines of a script are all answers', async () => {
  const { input, said, ask } = dialogue(false);
  input.end('y\n\nn\n');
  expect([await ask('1? '), await ask('2? '), await ask('3? '), await ask('4? ')]).toEqual([
    'y',
    '',
    'n',
    undefined,
  ]);
  expect(said.text).toBe('1? 2? 3? 4? ');
});

test('after a stop the question is written again, and nothing that was typed before counts', async () => {
  const { input, said, signals, ask } = dialogue(true);
  const answer = ask('delete "a"? ');
  await after(1000);
  signals.emit('SIGCONT');
  input.write('\n');
  await after(300);
  expect(said.text).toBe(
    'delete "a"? delete "a"? Typed too early: it does not count.\ndelete "a"? ',
  );
  await after(700);
  input.write('n\n');
  expect(await answer).toBe('n');
  signals.emit('SIGCONT');
  await after(1000);
  expect(said.text.match(/delete/g)).toHaveLength(3);
  expect(signals.listenerCount('SIGCONT')).toBe(0);
});

test.each(['', 'y'])(
  'Enter that is held down after "%s" answers no other question',
  async (first) => {
    const { input, ask } = dialogue(true);
    const answers: (string | undefined)[] = [];
    const run = (async () => {
      for (let times = 0; times < 2; times++) answers.push(await ask('? '));
    })();
    await after(300);
    input.write(`${first}\n`);
    await after(660);
    for (let times = 0; times < 30; times++) {
      input.write('\n');
      await after(33);
    }
    await after(1000);
    expect(answers).toEqual([first]);
    input.write('\n');
    await run;
    expect(answers).toEqual([first, '']);
  },
);

test('who types fast can answer every question', async () => {
  const { input, ask } = dialogue(true);
  for (let times = 0; times < 3; times++) {
    const answer = ask('? ');
    await after(250);
    input.write('y\n');
    expect(await answer).toBe('y');
  }
});

test('a question leaves standard input to the keys of the screen that follows it', async () => {
  const { input, ask } = dialogue(true);
  const answer = ask('which run? ');
  await after(300);
  input.write('2\n');
  expect(await answer).toBe('2');
  let pressed = '';
  const keys = openRawKeys(
    input,
    () => {},
    ({ text }) => {
      pressed += text;
    },
  );
  input.write('pq');
  await after(1000);
  keys.close();
  expect(pressed).toBe('pq');
  const again = ask('which run? ');
  await after(300);
  input.write('1\nrest');
  expect(await again).toBe('1');
  expect(input.read().toString()).toBe('rest');
});
