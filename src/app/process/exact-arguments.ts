import { readFileSync } from 'node:fs';
import { nameFromBytes } from '../../core/name-bytes.ts';

/**
 * The words of the command line with every byte. Node turns bytes that are not UTF-8 into U+FFFD, so that such a
 * name could not be given back to a command; Linux tells the bytes in `/proc`. Elsewhere the words stay as they are.
 *
 * @param argv the words as Node has them, without the program
 * @param read gives the whole command line, each word ended by a zero
 */
export function exactArguments(
  argv: readonly string[],
  read: () => Uint8Array = () => readFileSync('/proc/self/cmdline'),
): readonly string[] {
  if (!argv.some((word) => word.includes('\ufffd'))) return argv;
  let bytes: Buffer;
  try {
    bytes = Buffer.from(read());
  } catch {
    return argv;
  }
  const words = wordsOf(bytes).slice(-argv.length);
  const isSame = argv.length === words.length && argv.every((word, i) => word === lossy(words[i]));
  return isSame ? words.map(nameFromBytes) : argv;
}

function wordsOf(bytes: Buffer): Buffer[] {
  const words: Buffer[] = [];
  let from = 0;
  for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, from)) {
    words.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return words;
}

const lossy = (bytes: Buffer | undefined) => bytes?.toString('utf8');
