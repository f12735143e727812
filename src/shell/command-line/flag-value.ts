import { SyncerError } from '../../core/errors.ts';
import type { FlagDefinition, FlagValue } from '../../core/flags.ts';
import { DURATION_OFF, parseByteSize, parseDuration, SIZE_OFF } from '../../go/quantities.ts';
import { readBool, readFloat, readInt } from '../../go/read-number.ts';
import type { KnownFlag } from './flag-set.ts';

/**
 * The environment variables of a flag, in order of precedence: `SYNCER_DRY_RUN` and `RCLONE_DRY_RUN` for `dry-run`.
 * `RCLONE_CONFIG` is not read: it names rclone's configuration file. `SYNCER_QUEUE` is where workers find the queue, and
 * makes no run one of a queue.
 */
export function environmentVariables({ key, name }: KnownFlag): readonly string[] {
  const rest = name.toUpperCase().replaceAll('-', '_');
  if (key === 'queue') return [];
  return key === 'config' ? [`SYNCER_${rest}`] : [`SYNCER_${rest}`, `RCLONE_${rest}`];
}

/**
 * Parses the value of a flag.
 *
 * @param text the given value; `undefined` for a flag without one
 * @param before the value so far: counts and lists grow
 * @param nowMs the base of durations given as dates
 * @throws SyncerError `usage`, without the name of the flag
 */
export function readFlagValue(
  definition: FlagDefinition,
  text: string | undefined,
  before: FlagValue,
  nowMs: number,
): FlagValue {
  if (text === undefined) {
    return definition.type === 'count' ? Number(before) + 1 : (definition.bareValue ?? true);
  }
  switch (definition.type) {
    case 'bool':
      return readBool(text);
    case 'int':
    case 'count':
      return definition.orPercent && /^\d+(\.\d+)?%$/.test(text)
        ? text
        : readInt(checked(definition, text));
    case 'float':
      return readFloat(text);
    case 'size':
      return orOff(definition, parseByteSize(text));
    case 'duration': {
      const duration = parseDuration(text, nowMs);
      if (definition.needsUnit && duration !== 0 && !/[a-zM]$/.test(text)) {
        throw new SyncerError('usage', `"${text}" has no unit (examples: 500ms, 90s, 1h30m)`);
      }
      return orOff(definition, duration);
    }
    case 'list':
      return [...(Array.isArray(before) ? before : []), text];
    case 'string': {
      const { values } = definition;
      if (values === undefined) return checked(definition, text);
      const value = text.toLowerCase();
      if (values.includes(value)) return checked(definition, value);
      throw new SyncerError('usage', `"${text}" is not one of ${values.join(', ')}`);
    }
  }
}

function checked({ check }: FlagDefinition, text: string): string {
  const wrong = check?.(text);
  if (wrong !== undefined) throw new SyncerError('usage', wrong);
  return text;
}

/** `off` is -1 for a flag with a default, and unset for others. */
function orOff(definition: FlagDefinition, value: number): number | undefined {
  if (value !== SIZE_OFF && value !== DURATION_OFF) return value;
  return definition.default === undefined ? undefined : -1;
}
