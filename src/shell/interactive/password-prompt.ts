import type { Readable } from 'node:stream';
import type { AskPassword } from '../../config/config-password.ts';
import { SyncerError } from '../../core/errors.ts';
import { harmlessLines } from '../../core/shown-text.ts';

/** Standard input, which may be a terminal. */
export interface PasswordInput extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

/**
 * Asks for passwords: at a terminal without showing them, otherwise the next line of standard input is the answer,
 * as in rclone. What follows the line is left for others to read. The prompt goes to standard error.
 */
export function passwordPrompt(
  input: () => PasswordInput,
  output: { write(bytes: Uint8Array): unknown },
): AskPassword {
  return async (prompt) => {
    try {
      return await askLine(input(), true, () =>
        output.write(Buffer.from(`${harmlessLines(prompt)}\npassword:`)),
      );
    } finally {
      output.write(Buffer.from('\n'));
    }
  };
}

/** Reads the line that answers a prompt; a secret without showing it at a terminal, also not the end of its line. */
export async function askLine(
  stdin: PasswordInput,
  isSecret: boolean,
  prompt: () => unknown,
): Promise<string | undefined> {
  const hidden = isSecret && stdin.isTTY === true && stdin.setRawMode !== undefined;
  const typing = hidden ? await newTyping() : undefined;
  // Before the prompt: an answer can follow it at once, and must not be echoed.
  if (hidden) stdin.setRawMode?.(true);
  try {
    await prompt();
    const { text, isWhole } = await readAnswer(stdin, typing);
    if (!isWhole && text === '') return undefined;
    if (hidden || stdin.isTTY !== true) return text;
    return (await import('../../terminal/keys-of-input.ts')).withoutSequences(text);
  } finally {
    if (hidden) stdin.setRawMode?.(false);
  }
}

/**
 * Reads a line without its end, and leaves what follows for others to read; `undefined` once the input has ended, also
 * in mid-line. Rejects with what the stream is destroyed with.
 */
export async function readLine(stdin: Readable): Promise<string | undefined> {
  const { text, isWhole } = await readAnswer(stdin);
  return isWhole ? text : undefined;
}

/** Reads up to the end of the line, or of the input. */
async function readAnswer(
  stdin: Readable,
  typing?: Typing,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const answer: number[] = [];
  const text = () => typing?.text() ?? Buffer.from(answer).toString('utf8').replace(/\r$/, '');
  for (;;) {
    const chunk: Buffer | string | null = stdin.read();
    if (chunk === null) {
      if (stdin.errored !== null) throw stdin.errored;
      const hasEnded = stdin.readableEnded || stdin.destroyed || !(await readable(stdin));
      if (hasEnded) return { text: text(), isWhole: false };
      continue;
    }
    const bytes = Buffer.from(chunk);
    for (const [index, byte] of bytes.entries()) {
      if (typing === undefined && byte !== 0x0a) {
        answer.push(byte);
        continue;
      }
      if (typing?.take(byte) === false) continue;
      const rest = bytes.subarray(index + 1);
      if (rest.length > 0) stdin.unshift(rest);
      return { text: text(), isWhole: true };
    }
  }
}

/** What is typed at a terminal in raw mode. */
interface Typing {
  /** Takes a byte; returns whether the answer is complete. Throws `interrupted` for Ctrl-C and Ctrl-D. */
  take(byte: number): boolean;
  text(): string;
}

/** What a terminal in raw mode leaves to the program. Its answers to other programs are not typed. */
async function newTyping(): Promise<Typing> {
  const [{ TerminalInput }, { keysOfInput }, { isCtrl }] = await Promise.all([
    import('../../terminal/terminal-input.ts'),
    import('../../terminal/keys-of-input.ts'),
    import('../../terminal/key.ts'),
  ]);
  const input = new TerminalInput(0, () => performance.now());
  let characters: string[] = [];
  return {
    text: () => characters.join(''),
    take(byte) {
      const pieces = input.push(Uint8Array.of(byte)).filter((part) => typeof part === 'string');
      for (const key of pieces.flatMap(keysOfInput)) {
        if (key.name === 'enter') return true;
        if (isCtrl(key, 'c') || isCtrl(key, 'd')) {
          throw new SyncerError('interrupted', 'stopped while asking for the password');
        }
        if (isCtrl(key, 'u')) characters = [];
        else if (key.name === 'backspace') characters.pop();
        else if (key.name === 'tab') characters.push('\t');
        else if (!key.ctrl) for (const character of key.text) characters.push(character);
      }
      return false;
    },
  };
}

/** Waits for input; resolves to `false` at its end. Rejects with the reason where the run must end. */
function readable(stdin: Readable): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const done = (more: boolean) => {
      stdin.off('readable', onReadable).off('end', onEnd).off('close', onEnd).off('error', reject);
      resolve(more);
    };
    const onReadable = () => done(true);
    const onEnd = () => done(false);
    stdin.on('readable', onReadable).on('end', onEnd).on('close', onEnd).on('error', reject);
  });
}
