/** A line of a journal with its sum first, as it is written. */
export function journalText(json: string): string {
  const rest = json.slice(1);
  return `{"sum":${sumOf(rest)},${rest}\n`;
}

const SUM = /^\{"sum":(\d+),/;

/** A line without its sum. */
export interface CheckedLine {
  /** `undefined` if it is not what was written. */
  readonly json: string | undefined;
  /** Lines of earlier versions have no sum. */
  readonly hasSum: boolean;
}

/** Compares a line with its sum. */
export function checkedLine(line: string): CheckedLine {
  const found = SUM.exec(line);
  if (found === null) return { json: line, hasSum: false };
  const rest = line.slice(found[0].length);
  return { json: Number(found[1]) === sumOf(rest) ? `{${rest}` : undefined, hasSum: true };
}

/** FNV-1a of the UTF-16 code units: it differs if any one of them does. Zlib's CRC-32 would cost each run its loading. */
function sumOf(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
}
