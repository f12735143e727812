import type { FlagDefinition, FlagValue } from '../../core/flags.ts';
import { ACCEPTED_FLAGS } from '../flags/accepted-flags.ts';
import { shownWords } from '../log/shown-words.ts';
import type { CommandLine, FlagVariable } from './command.ts';

/** The `-vv` lines about variables and defaults that set flags, in rclone's words, without secrets. */
export function variableMessages(variables: readonly FlagVariable[]): readonly string[] {
  return variables.flatMap(({ name, variable, at, text, values }) => {
    const isShown = values.every((value) => holdsNoSecret(name, value));
    const quoted = (value: string) => (isShown ? JSON.stringify(value) : 'REDACTED');
    const from = at === undefined ? `environment variable ${variable}=${quoted(text)}` : at;
    return values.map((value) => `Setting --${name} ${quoted(value)} from ${from}`);
  });
}

/** Whether the flag may be logged with this value. */
export function holdsNoSecret(name: string, value: string): boolean {
  const word = `--${name}=${value}`;
  return shownWords([word])[0] === word;
}

/** The given flags that are ignored, as on the command line. */
export function withoutEffect({ flags, given }: Pick<CommandLine, 'flags' | 'given'>) {
  const values: Readonly<Record<string, FlagValue>> = flags;
  const idle = Object.entries(ACCEPTED_FLAGS).filter(
    ([key]) => given.has(key) && values[key] !== false,
  );
  const written = (is: (definition: FlagDefinition) => boolean) =>
    idle.filter(([, flag]) => is(flag)).map(([key, { name = key }]) => `--${name}`);
  const places = flags['log-format'].match(/\b(?:long|short)file\b/gi) ?? [];
  return {
    /** Flags that ask for something. */
    missed: [
      ...written(({ isHint, losesLog }) => !isHint && !losesLog),
      ...places.map((name) => `--log-format ${name}`),
    ],
    /** Flags that ask for a log in another place. */
    logs: written(({ losesLog }) => losesLog === true),
    /** Flags that only tune rclone. */
    hints: written(({ isHint }) => isHint === true),
  };
}
