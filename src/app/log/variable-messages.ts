import type { FlagVariable } from '../command-line/parse-command-line.ts';
import { shownWords } from './shown-words.ts';

/** The `-vv` lines about variables that set flags, in rclone's words, without secrets. */
export function variableMessages(variables: readonly FlagVariable[]): readonly string[] {
  return variables.flatMap(({ name, variable, text, values }) => {
    const isShown = values.every((value) => holdsNoSecret(name, value));
    const quoted = (value: string) => (isShown ? JSON.stringify(value) : 'REDACTED');
    const from = `from environment variable ${variable}=${quoted(text)}`;
    return values.map((value) => `Setting --${name} ${quoted(value)} ${from}`);
  });
}

/** Whether the flag may be logged with this value. */
export function holdsNoSecret(name: string, value: string): boolean {
  const word = `--${name}=${value}`;
  return shownWords([word])[0] === word;
}
