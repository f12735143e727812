import type { FlagDefinition } from '../../core/flags.ts';
import { harmlessLine } from '../../core/harmless.ts';
import { formatSize } from '../../go/byte-size.ts';
import { formatDuration } from '../../go/format-duration.ts';
import { holdsNoSecret } from '../command-line/flag-notices.ts';
import type { KnownFlag } from '../command-line/flag-set.ts';
import { environmentVariables } from '../command-line/flag-value.ts';
import { rowLines, UNWRAPPED } from './help-style.ts';

/** Flags as aligned lines: `  -n, --dry-run   Show what would be done without changing anything`. */
export function flagLines(
  flags: readonly KnownFlag[],
  env: NodeJS.ProcessEnv = {},
  style = UNWRAPPED,
): string[] {
  const rows = flags.map((flag) => {
    const indent = flag.definition.short === undefined ? '    ' : '';
    return [`${indent}${flagName(flag)}`, flagHelp(flag, env)] as const;
  });
  return rowLines(rows, style);
}

/** How a flag is given: `-n, --dry-run`, `--transfers int`. */
export function flagName({ name, definition }: KnownFlag): string {
  const short = definition.short === undefined ? '' : `-${definition.short}, `;
  return `${short}--${name}${placeholder(definition)}`;
}

function placeholder({ type, values, bareValue, placeholder: given }: FlagDefinition): string {
  if (type === 'bool' || type === 'count') return '';
  const name = given ?? (values === undefined ? type : values.join('|'));
  return bareValue === undefined ? ` ${name}` : `[=${name}]`;
}

/** The help of a flag and its default; without a full stop. */
export function flagHelp(flag: KnownFlag, env: NodeJS.ProcessEnv = {}): string {
  const { definition } = flag;
  const { help, type } = definition;
  const variable = environmentVariables(flag).find((name) => env[name] !== undefined);
  const usual =
    variable === undefined
      ? (definition.defaultText ?? defaultText(definition))
      : shownDefault(flag, env[variable] ?? '');
  const more = type === 'list' ? ' (repeatable)' : '';
  return `${help}${more}${usual === undefined ? '' : ` (default ${usual})`}`;
}

/** The value of a variable, unless it is secret. */
function shownDefault({ name }: KnownFlag, text: string): string {
  return holdsNoSecret(name, text) ? harmlessLine(text) : 'REDACTED';
}

function defaultText({ type, default: value }: FlagDefinition): string | undefined {
  if (value === undefined || value === false || value === '') return undefined;
  if (typeof value !== 'number') return String(value);
  if (value === 0) return undefined;
  if (type === 'size') return formatSize(value);
  return type === 'duration' ? formatDuration(value) : String(value);
}
