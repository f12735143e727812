import type { ReadLine } from './input-lines.ts';

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
