import { nameToBytes } from '../core/name-bytes.ts';

/** A program as Node's `spawn` starts it. */
export interface ProgramStart {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * The same program, for words, a directory or variables with bytes that are not UTF-8. Node would replace these by
 * U+FFFD, which may name another program or file. A shell gets them as octal numbers, and becomes the program. Such
 * variables whose names no shell takes are left out.
 */
export function exactCommand(start: ProgramStart): ProgramStart {
  const { file, args, cwd = '', env = {} } = start;
  const variables = Object.entries(env).filter(([, value]) => value?.isWellFormed() === false);
  const named = variables.filter(([name]) => /^[A-Za-z_]\w*$/.test(name));
  const isExact = [file, ...args, cwd].every((text) => text.isWellFormed());
  if (isExact && variables.length === 0) return start;
  const script = [
    ...named.flatMap(([name, value = '']) => [assigned(value), `export ${name}="$syncer_text"`]),
    ...(cwd === '' ? [] : [assigned(cwd), 'cd "$syncer_text" || exit 127']),
    ...[file, ...args].flatMap((word) => [assigned(word), 'set -- "$@" "$syncer_text"']),
    'exec "$@"',
  ];
  const others = { ...env };
  for (const [name] of variables) delete others[name];
  return {
    file: '/bin/sh',
    args: ['-c', script.join('\n')],
    ...(start.env === undefined ? {} : { env: others }),
  };
}

/** A line that sets `syncer_text`, with line breaks at its end too, which a shell drops otherwise. */
function assigned(text: string): string {
  const octal = [...nameToBytes(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`);
  return `syncer_text=$(printf '${octal.join('')}x'); syncer_text=\${syncer_text%x}`;
}
