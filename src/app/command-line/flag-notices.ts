import { ACCEPTED_FLAGS } from '../flags/accepted-flags.ts';
import type { FlagDefinition, FlagValue } from '../flags/flag-definition.ts';
import { shownWords } from '../log/shown-words.ts';
import type { CommandLine, FlagVariable } from './parse-command-line.ts';

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

const KEYS = Object.keys(ACCEPTED_FLAGS) as readonly (keyof typeof ACCEPTED_FLAGS)[];

/** Ignored flags as on the command line. */
export interface WithoutEffect {
  /** Flags that ask for something. */
  readonly missed: readonly string[];
  /** Flags that ask for a log in another place. */
  readonly logs: readonly string[];
  /** Flags that only tune rclone. */
  readonly hints: readonly string[];
}

const definitionOf = (key: (typeof KEYS)[number]): FlagDefinition => ACCEPTED_FLAGS[key];

/** The given flags that are ignored. */
export function withoutEffect({
  flags,
  given,
}: Pick<CommandLine, 'flags' | 'given'>): WithoutEffect {
  const isOn = (key: (typeof KEYS)[number]) => (flags[key] as FlagValue) !== false;
  const idle = KEYS.filter((key) => given.has(key) && isOn(key));
  const written = (keys: readonly (typeof KEYS)[number][]) => {
    return keys.map((key) => `--${definitionOf(key).name ?? key}`);
  };
  const places = flags['log-format'].match(/\b(?:long|short)file\b/gi) ?? [];
  return {
    missed: [
      ...written(idle.filter((key) => !definitionOf(key).isHint && !definitionOf(key).losesLog)),
      ...places.map((name) => `--log-format ${name}`),
    ],
    logs: written(idle.filter((key) => definitionOf(key).losesLog === true)),
    hints: written(idle.filter((key) => definitionOf(key).isHint === true)),
  };
}
