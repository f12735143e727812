import { crc32 } from 'node:zlib';
import type { JournalLine, JournalRecord } from './journal-record.ts';

/** Names of files with bytes, and nothing that could lead out of their folder. */
const ID = /^[0-9a-f]{24}$/;

/** A line with its checksum: what a crash cut short is told from what is whole. */
export function encodeLine(line: JournalLine): string {
  const text = JSON.stringify(line);
  return `${checksum(text)} ${text}\n`;
}

/** `undefined` for what is not a whole line of a journal. */
export function decodeLine(text: string): JournalLine | undefined {
  const json = text.slice(9);
  if (text.charAt(8) !== ' ' || text.slice(0, 8) !== checksum(json)) return undefined;
  try {
    const line = JSON.parse(json) as JournalLine;
    return !('put' in line) || isRecord(line.put) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Whether this names a file with bytes. */
export function isCacheId(name: string): boolean {
  return ID.test(name);
}

function isRecord(record: JournalRecord): boolean {
  return (
    isCacheId(record.id) &&
    typeof record.path === 'string' &&
    Number.isSafeInteger(record.size) &&
    Array.isArray(record.edges) &&
    /^-?\d+$/.test(record.modTime) &&
    ['undefined', 'string'].includes(typeof record.content)
  );
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
