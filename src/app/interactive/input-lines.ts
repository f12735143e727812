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
