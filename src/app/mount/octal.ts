import { SyncerError } from '../../core/errors.ts';

/** Permission bits from octal digits (`022`, `0755`, `0o644`). Throws `usage` for anything else. */
export function parseOctal(flag: string, text: string): number {
  const digits = /^(?:0o)?([0-7]{1,4})$/i.exec(text)?.[1];
  if (digits !== undefined) return Number.parseInt(digits, 8);
  throw new SyncerError(
    'usage',
    `--${flag} takes permissions in octal, such as 022, not "${text}"`,
  );
}
