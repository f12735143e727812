import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lineAsker } from '../../../../src/app/interactive/input-lines.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function dialogue(isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const said = { text: '' };
  const print = async (text: string) => {
    said.text += text;
  };
  return { input, said, ask: lineAsker(input, print, () => performance.now()) };
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
