import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import type { Flags } from '../flags/flag-table.ts';

/** Without it SIGUSR1 opens Node's debugger; a single executable has it built in. */
const NO_DEBUGGER = '--disable-sigusr1';

/**
 * How this program starts itself again: the executable and the words before its arguments. A single executable has no
 * script.
 */
export function ownCommand(): readonly [file: string, ...words: string[]] {
  const { execPath, execArgv, argv } = process;
  const script = argv[1];
  const isSingle = process.getBuiltinModule('node:sea').isSea();
  if (isSingle || script === undefined) return [execPath];
  const flags = execArgv.filter((flag) => flag !== NO_DEBUGGER);
  return [execPath, NO_DEBUGGER, ...flags, script];
}

/**
 * The flags that say where the configuration is, as words that mean the same in every directory: what is started from
 * here must see the same one.
 */
export function passedFlags(flags: Flags): readonly string[] {
  return (['config', 'password-command', 'cache-dir'] as const).flatMap((name) => {
    const value = flags[name];
    if (value === undefined || value === '') return [];
    return [`--${name}=${name === 'password-command' ? value : resolve(value)}`];
  });
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

/**
 * The environment with every byte, as `exactArguments`.
 *
 * @param read returns the whole environment, each variable ended by a zero
 */
export function exactEnvironment(
  env: NodeJS.ProcessEnv,
  read: () => Uint8Array = () => readFileSync('/proc/self/environ'),
): NodeJS.ProcessEnv {
  const exact = { ...env };
  try {
    for (const bytes of wordsOf(Buffer.from(read()))) {
      const [, name = '', value] = /^([^=]+)=(.*)$/s.exec(nameFromBytes(bytes)) ?? [];
      if (env[name] !== undefined && env[name] === lossy(nameToBytes(value ?? '')))
        exact[name] = value;
    }
  } catch {
    return env;
  }
  return exact;
}
