import { readFileSync } from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import { harmless } from '../../core/harmless.ts';
import { nameFromBytes } from '../../core/name-bytes.ts';

/**
 * How this program starts itself again, with these arguments: the executable, the words before the arguments, and the
 * arguments. A single executable has no script. Throws as `assertPassable` does.
 */
export function ownCommand(
  args: readonly string[] = [],
): readonly [file: string, ...words: string[]] {
  assertPassable(args);
  const { execPath, execArgv, argv } = process;
  const script = argv[1];
  const isSingle = process.getBuiltinModule('node:sea').isSea();
  return isSingle || script === undefined
    ? [execPath, ...args]
    : [execPath, ...execArgv, script, ...args];
}

/** Throws `usage` for words that Node cannot pass to a program, but replaces: of bytes that are not UTF-8. */
export function assertPassable(words: readonly string[]): void {
  const inexact = words.find((word) => !word.isWellFormed());
  if (inexact === undefined) return;
  const why = 'its bytes are not UTF-8, and cannot be passed to another process';
  throw new SyncerError('usage', `${harmless(inexact)}: ${why}`);
}

/**
 * The arguments with every byte. Node replaces bytes that are not UTF-8 by U+FFFD; on Linux the original bytes are in
 * `/proc`. Elsewhere the arguments stay as they are.
 *
 * @param argv the arguments from Node, without the program
 * @param read returns the whole command line, each word ended by a zero
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
