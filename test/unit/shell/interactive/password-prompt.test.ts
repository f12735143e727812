import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import {
  type PasswordInput,
  passwordPrompt,
} from '../../../../src/shell/interactive/password-prompt.ts';

/** Standard input, and what is done to it. */
function world(isTerminal: boolean) {
  const raw: boolean[] = [];
  let shown = '';
  const input = new PassThrough() as unknown as PassThrough & PasswordInput;
  if (isTerminal) Object.assign(input, { isTTY: true, setRawMode: (on: boolean) => raw.push(on) });
  input.on('error', () => undefined);
  const output = {
    write(bytes: Uint8Array) {
      // What is typed once a prompt is there would be echoed otherwise.
      if (isTerminal && shown === '') expect(raw).toEqual([true]);
      shown += Buffer.from(bytes).toString();
    },
  };
  return { input, raw, ask: passwordPrompt(() => input, output), shown: () => shown };
}

test('at a terminal nothing is shown, and keys that correct are obeyed', async () => {
  const { input, raw, ask, shown } = world(true);
  const answer = ask('Password, please:');
  input.write('wrong\x15hun');
  input.write('é\x7f\x7fnter2\rmore');
  expect(await answer).toBe('hunter2');
  expect(shown()).toBe('Password, please:\npassword:\n');
  expect(raw).toEqual([true, false]);
  expect(input.read().toString()).toBe('more');
});

test('answers of the terminal and other keys are not typed, also in pieces', async () => {
  const { input, ask } = world(true);
  const answer = ask('?');
  input.write('\x1b[A\x1b]11;rgb:00');
  input.write('/00\x07hun\x1bP>|x\x1b');
  input.write('\\ter\x1b[200~\t2é\x1b[201~\x1b[?1;2c');
  input.write(Buffer.from([0xc3]));
  input.write(Buffer.from([0xa9, 0x1b, 0x0d]));
  expect(await answer).toBe('hunter\t2éé');
});

test('Ctrl-C ends it, and the terminal is as it was', async () => {
  const { input, raw, ask } = world(true);
  const answer = ask('?');
  input.write('hun\x03');
  await expect(answer).rejects.toMatchObject({ code: 'interrupted' });
  expect(raw).toEqual([true, false]);
});

test('without a terminal the next line is the answer, and what follows is left', async () => {
  const { input, ask } = world(false);
  input.write('one\r\ntwo\nrest');
  expect(await ask('?')).toBe('one');
  expect(await ask('?')).toBe('two');
  expect(input.read().toString()).toBe('rest');
});

test('an input that ends has no answer, or a last one', async () => {
  const { input, ask } = world(false);
  input.end('last');
  expect(await ask('?')).toBe('last');
  expect(await ask('?')).toBeUndefined();
});

test('a run that must end does not wait for an answer', async () => {
  const { input, ask } = world(true);
  const answer = ask('?');
  input.destroy(new SyncerError('terminated', 'ended'));
  await expect(answer).rejects.toMatchObject({ code: 'terminated' });
});
