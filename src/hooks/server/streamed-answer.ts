import type { CommandResult } from '../command/run-command.ts';
import type { Answer } from '../http/answer.ts';
import type { ByteChannel } from '../run/byte-channel.ts';

/** What is said where a command fails whose output is on its way already. */
const STREAM_FAILED =
  "Error occurred while executing the hook's stream command. Please check your logs for more details.";

/** The answers that a streamed command may have. */
export interface StreamedAnswers {
  readonly success: () => Pick<Answer, 'status' | 'headers'>;
  readonly failure: () => Answer;
  /** The run was given up before it began. */
  readonly givenUp: () => Answer;
}

/**
 * The answer that holds what a command writes, while it writes. Resolves with the first piece, or when the command
 * ends without a word.
 */
export async function streamedAnswer(
  channel: ByteChannel,
  done: Promise<CommandResult | undefined>,
  { success, failure, givenUp }: StreamedAnswers,
): Promise<Answer> {
  void done.then(() => channel.close());
  const chunks = channel[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done !== true) {
    return { ...success(), body: first.value, rest: restOf(chunks, done) };
  }
  const result = await done;
  if (result === undefined) return givenUp();
  return result.failed ? failure() : { ...success(), body: Buffer.alloc(0) };
}

async function* restOf(
  chunks: AsyncGenerator<Buffer>,
  done: Promise<CommandResult | undefined>,
): AsyncGenerator<Buffer> {
  yield* chunks;
  const result = await done;
  if (result?.failed === true) yield Buffer.from(STREAM_FAILED);
}
