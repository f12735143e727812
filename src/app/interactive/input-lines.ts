import type { Readable } from 'node:stream';

/** Gives a line of input at a call, without its end; `undefined` once the input has ended, also in mid-line. */
export type ReadLine = () => Promise<string | undefined>;

/** Reads a stream line by line. Rejects with what the stream is destroyed with. */
export function inputLines(input: Readable): ReadLine {
  const chunks: AsyncIterator<Buffer | string> = input[Symbol.asyncIterator]();
  let rest = '';
  return async () => {
    for (;;) {
      const end = rest.indexOf('\n');
      if (end >= 0) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 1);
        return line;
      }
      const { done, value } = await chunks.next();
      if (done === true) return undefined;
      rest += String(value);
    }
  };
}

/** A letter to type, and what it means. */
export type PromptChoice<Letter extends string = string> = readonly [
  letter: Letter,
  meaning: string,
];

/** Asks on a terminal for a letter, as rclone does; an empty line takes the first. `undefined` if the input ends. */
export async function choose<Letter extends string>(
  question: string,
  choices: readonly [PromptChoice<Letter>, ...PromptChoice<Letter>[]],
  print: (text: string) => Promise<void>,
  readLine: ReadLine,
): Promise<Letter | undefined> {
  const letters = choices.map(([letter]) => letter);
  const lines = choices.map(([letter, meaning], i) => {
    return `${letter}) ${meaning}${i === 0 ? ' (default)' : ''}\n`;
  });
  await print(`${question}\n${lines.join('')}`);
  for (;;) {
    await print(`${letters.join('/')}> `);
    const line = await readLine();
    if (line === undefined) return undefined;
    const answer = line.trim().toLowerCase();
    if (answer === '') return choices[0][0];
    const chosen = letters.find((letter) => letter === answer);
    if (chosen !== undefined) return chosen;
    const known = letters.join(', ');
    await print(
      answer.length === 1
        ? `This value must be one of the following characters: ${known}.\n`
        : `This value must be a single character, one of the following: ${known}.\n`,
    );
  }
}
