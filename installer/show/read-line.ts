import type { Readable } from 'node:stream';

/** Longer lines are no answers. */
const LONGEST = 4096;

/** The next line of a stream, without its end; what follows it is left alone. Empty at the end of the stream. */
export async function readLine(input: Readable, signal: AbortSignal): Promise<string> {
  let text = '';
  const onAbort = () => input.destroy(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for await (const chunk of input as AsyncIterable<Buffer | string>) {
      text += chunk.toString();
      if (text.includes('\n') || text.length > LONGEST) break;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  signal.throwIfAborted();
  return text.split('\n', 1)[0]?.replace(/\r$/, '') ?? '';
}
