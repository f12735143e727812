import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { SyncerError } from '../../../../src/core/errors.ts';
import { lineAsker } from '../../../../src/shell/interactive/input-lines.ts';
import { interactiveConsent } from '../../../../src/shell/interactive/interactive-consent.ts';

const QUESTION = (action: string, about: string) => `syncer: ${action} "${about}"?
y) Yes, this is OK (default)
n) No, skip this
s) Skip all ${action} operations with no more questions
!) Do all ${action} operations with no more questions
q) Exit syncer now.
`;
const PROMPT = 'y/n/s/!/q> ';

/** A consent that is answered with `input`, and what it said. */
function guardWith(input: string) {
  const said = { text: '', log: [] as string[], ended: [] as SyncerError[] };
  const print = async (text: string) => {
    said.text += text;
  };
  const consent = interactiveConsent({
    ask: lineAsker(Readable.from([input]), print, performance.now),
    tell: (message) => said.log.push(message),
    end: (reason) => said.ended.push(reason),
  });
  const ask = (words: string, about: string) =>
    Promise.resolve(consent({ do: 'other', words, about }));
  return { ask, said };
}

describe('interactiveGuard', () => {
  test('a run that is stopped at a question puts no other one', async () => {
    let asked = 0;
    const consent = interactiveConsent({
      ask: async () => {
        asked++;
        throw new Error('stopped');
      },
      tell: () => {},
      end: () => {},
    });
    const changes = ['a', 'b'].map((about) => consent({ do: 'other', words: 'delete', about }));
    const ended = await Promise.allSettled(changes);
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked).toBe(1);
  });

  test('asks in the words of rclone; an empty line is the default', async () => {
    const { ask, said } = guardWith('y\nn\n\n Y \n');
    expect(await ask('copy', 'a')).toBe(true);
    expect(said.text).toBe(QUESTION('copy', 'a') + PROMPT);
    expect(await ask('copy', 'b')).toBe(false);
    expect(await ask('delete', 'c')).toBe(true);
    expect(await ask('delete', 'd')).toBe(true);
    expect(said.log).toEqual([]);
  });

  test('asks again until the answer is one of the letters', async () => {
    const { ask, said } = guardWith('x\nyes\nn\n');
    expect(await ask('copy', 'a')).toBe(false);
    expect(said.text).toBe(
      QUESTION('copy', 'a') +
        `${PROMPT}This value must be one of the following characters: y, n, s, !, q.\n` +
        `${PROMPT}This value must be a single character, one of the following: y, n, s, !, q.\n` +
        PROMPT,
    );
  });

  test('s and ! answer all later questions about the same action', async () => {
    const { ask, said } = guardWith('s\n!\n');
    expect(await ask('copy', 'a')).toBe(false);
    expect(await ask('delete', 'a')).toBe(true);
    const before = said.text;
    expect(await ask('copy', 'b')).toBe(false);
    expect(await ask('delete', 'b')).toBe(true);
    expect(said.text).toBe(before);
    expect(said.log).toEqual([
      'Skipping all copy operations from now on without asking',
      'Doing all delete operations from now on without asking',
    ]);
  });

  test('puts one question at a time', async () => {
    const { ask, said } = guardWith('y\nn\ny\n');
    const answers = await Promise.all(['a', 'b', 'c'].map((about) => ask('copy', about)));
    expect(answers).toEqual([true, false, true]);
    const turns = ['a', 'b', 'c'].map((about) => QUESTION('copy', about) + PROMPT);
    expect(said.text).toBe(turns.join(''));
  });

  test('q ends the run, and nothing is asked any more', async () => {
    const { ask, said } = guardWith('q\ny\n');
    const both = await Promise.allSettled([ask('copy', 'a'), ask('copy', 'b')]);
    expect(both.map((one) => one.status)).toEqual(['rejected', 'rejected']);
    expect(said.ended).toMatchObject([{ code: 'quit', exit: 0 }]);
    expect(said.log).toEqual(['Quitting syncer now']);
    expect(said.text).not.toContain('"b"');
  });

  test.each(['', 'y'])('input that ends with %j in mid-line is no answer', async (input) => {
    const { ask, said } = guardWith(input);
    await expect(ask('delete', 'a')).rejects.toMatchObject({ code: 'no-answer', exit: 1 });
    await expect(ask('copy', 'b')).rejects.toMatchObject({ code: 'no-answer' });
    expect(said.ended).toEqual([]);
  });
});
