import type { Readable } from 'node:stream';
import type { AskPassword } from '../../config/find-password.ts';
import { SyncerError } from '../../core/errors.ts';
import { harmlessLines } from '../../core/harmless.ts';

/** Standard input, which may be a terminal. */
export interface PasswordInput extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

/** Where the prompt is written. */
interface PromptOutput {
  write(bytes: Uint8Array): unknown;
}

/**
 * Asks for passwords: at a terminal without showing them, otherwise the next line of standard input is the answer,
 * as in rclone. What follows the line is left for others to read. The prompt goes to standard error.
 */
export function passwordPrompt(input: () => PasswordInput, output: PromptOutput): AskPassword {
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
  // Before the prompt: an answer can follow it at once, and must not be echoed.
  if (hidden) stdin.setRawMode?.(true);
  try {
    await prompt();
    return await readAnswer(stdin, hidden);
  } finally {
    if (hidden) stdin.setRawMode?.(false);
  }
}

/** Reads up to the end of the line; `undefined` where the input ends before. */
async function readAnswer(stdin: Readable, hidden: boolean): Promise<string | undefined> {
  const answer: number[] = [];
  for (;;) {
    const chunk: Buffer | string | null = stdin.read();
    if (chunk === null) {
      if (stdin.errored !== null) throw stdin.errored;
      if (stdin.readableEnded || stdin.destroyed) return undefined;
      if (!(await readable(stdin))) return answer.length > 0 ? toText(answer) : undefined;
      continue;
    }
    const bytes = Buffer.from(chunk);
    for (const [index, byte] of bytes.entries()) {
      if (byte === LINE_FEED || (hidden && byte === CARRIAGE_RETURN)) {
        const rest = bytes.subarray(index + 1);
        if (rest.length > 0) stdin.unshift(rest);
        return toText(answer);
      }
      if (hidden) type(answer, byte);
      else answer.push(byte);
    }
  }
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const CTRL_C = 0x03;
const CTRL_D = 0x04;
const CTRL_U = 0x15;
const BACKSPACES = [0x08, 0x7f];

/** What a terminal in raw mode leaves to the program. */
function type(answer: number[], byte: number): void {
  if (byte === CTRL_C || byte === CTRL_D) {
    throw new SyncerError('interrupted', 'stopped while asking for the password');
  }
  if (byte === CTRL_U) answer.length = 0;
  else if (BACKSPACES.includes(byte)) dropCharacter(answer);
  else answer.push(byte);
}

/** Removes the last character, which may have several bytes. */
function dropCharacter(answer: number[]): void {
  let last = answer.pop();
  while (last !== undefined && (last & 0xc0) === 0x80) last = answer.pop();
}

function toText(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString('utf8').replace(/\r$/, '');
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
