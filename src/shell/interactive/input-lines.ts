import type { Readable } from 'node:stream';
import { SyncerError } from '../../core/errors.ts';
import { READ_MS } from '../../terminal/key-table.ts';
import { withoutSequences } from '../../terminal/keys-of-input.ts';
import { ReadQuestion } from '../../terminal/read-question.ts';
import type { Asking, CommandCall } from '../command-line/command.ts';
import { readLine } from './password-prompt.ts';

/** Writes a question and gives the line that answers it; `undefined` once the input has ended. */
export type AskLine = (question: string) => Promise<string | undefined>;

/**
 * Asks for lines of a stream. From a terminal, a line that was typed ahead, or right behind another, is discarded, and
 * the question is written again once nothing more is typed; see `ReadQuestion`. The same holds for an empty line within
 * 0.7 s of another, which may be Enter held down: keyboards wait up to 0.66 s before they repeat. A process that goes on
 * after a stop writes its question again. The stream is read only while a question waits, so that what follows, such as
 * a screen, can read it.
 *
 * @param print resolves when the text can be seen
 * @param nowMs milliseconds from any start
 * @param signals emits SIGCONT
 */
export function lineAsker(
  input: Readable & { readonly isTTY?: boolean },
  print: (text: string) => Promise<void>,
  nowMs: () => number,
  signals: Pick<NodeJS.EventEmitter, 'on' | 'off'> = process,
): AskLine {
  let typedMs = Number.NEGATIVE_INFINITY;
  return async (text) => {
    if (input.isTTY !== true) {
      await print(text);
      return readLine(input);
    }
    const question = new ReadQuestion(nowMs);
    const write = async (shown: string) => {
      await print(shown);
      question.show();
    };
    let again: NodeJS.Timeout | undefined;
    const writeAgain = (before: string) => {
      clearTimeout(again);
      question.hide();
      void write(before + text).catch(() => {});
    };
    const onContinue = () => writeAgain('');
    signals.on('SIGCONT', onContinue);
    try {
      await write(text);
      for (;;) {
        const line = await readLine(input).finally(() => clearTimeout(again));
        const isRead = question.take();
        question.hide();
        const isHeld = line?.trim() === '' && nowMs() - typedMs < 700;
        typedMs = nowMs();
        if (line === undefined) return undefined;
        if (isRead && !isHeld) return withoutSequences(line);
        const early = 'Typed too early: it does not count.\n';
        again = setTimeout(() => writeAgain(early), READ_MS);
      }
    } finally {
      signals.off('SIGCONT', onContinue);
      question.hide();
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
  ask: AskLine,
): Promise<Letter | undefined> {
  const letters = choices.map(([letter]) => letter);
  const lines = choices.map(([letter, meaning], i) => {
    return `${letter}) ${meaning}${i === 0 ? ' (default)' : ''}\n`;
  });
  const prompt = `${letters.join('/')}> `;
  let text = `${question}\n${lines.join('')}${prompt}`;
  for (;;) {
    const line = await ask(text);
    if (line === undefined) return undefined;
    const answer = line.trim().toLowerCase();
    if (answer === '') return choices[0][0];
    const chosen = letters.find((letter) => letter === answer);
    if (chosen !== undefined) return chosen;
    const known = letters.join(', ');
    const wrong =
      answer.length === 1
        ? `This value must be one of the following characters: ${known}.`
        : `This value must be a single character, one of the following: ${known}.`;
    text = `${wrong}\n${prompt}`;
  }
}

/** Whether a person can be asked. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Asks on the terminal while the view of the run and its clock wait. */
export async function askAside<Answer>(
  { context, answers, stepAside, holdClock }: CommandCall & Asking,
  put: (ask: AskLine) => Promise<Answer>,
): Promise<Answer> {
  const comeBack = stepAside?.();
  const goOn = holdClock();
  const print = async (shown: string) => void process.stderr.write(shown);
  try {
    return await put(lineAsker(answers(), print, context.clock.monotonic));
  } finally {
    goOn();
    comeBack?.();
  }
}

/**
 * Asks on a terminal for the number of what is deleted; does nothing elsewhere. Rejects with `quit` for any other
 * answer.
 *
 * @param asked what it is about, and what is to be typed, 0: nothing is asked; is called only if a person can be asked
 */
export async function askNumber(
  invocation: CommandCall & Asking,
  asked: () => Promise<{ readonly total: number; readonly text: string }>,
): Promise<void> {
  if (!canAsk()) return;
  const { total, text } = await asked();
  if (total === 0) return;
  const answer = await askAside(invocation, (ask) =>
    ask(`${text}\nType ${total} to delete them: `),
  );
  if (answer?.trim() === String(total)) return;
  process.stderr.write('Nothing was deleted\n');
  throw new SyncerError('quit', 'nothing was deleted');
}
