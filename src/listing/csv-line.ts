import { SyncerError } from '../core/errors.ts';

/**
 * A line of comma-separated values as Go's `encoding/csv` writes it: quoted if the value has the separator, a quote
 * or a line end, starts with white space, or is `\.`.
 */
export function csvLine(values: readonly string[], separator: string): string {
  const quoted = values.map((value) =>
    value === '\\.' || value.includes(separator) || /["\r\n]|^\s/.test(value)
      ? `"${value.replaceAll('"', '""')}"`
      : value,
  );
  return `${quoted.join(separator)}\n`;
}

/** The separator for CSV: the first character of `text`. Throws `usage` for an invalid one. */
export function csvSeparator(text: string): string {
  const [first = ','] = text;
  if (first !== '"' && first !== '\n' && first !== '\r') return first;
  throw new SyncerError('usage', `${JSON.stringify(first)} cannot separate values with --csv`);
}
