import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';

/**
 * The versions that a case is compared with, both where absent. `old`: rclone 1.75 does otherwise, and docs/rclone.md
 * has the reason to differ from it. `now`: rclone 1.60 does otherwise.
 */
export interface Compared {
  readonly only?: 'old' | 'now';
}

type Results = Readonly<Record<string, unknown>>;

const fileOf = (name: string) => join(import.meta.dirname, `../recorded/${name}.json`);

/** The results of another program for cases by their names, as it was recorded: a file of test/recorded. */
export function readRecord(name: string): Results {
  return JSON.parse(readFileSync(fileOf(name), 'utf8'));
}

/**
 * For tests beside that program: fails unless a case still has the result that is recorded. With `SYNCER_RECORD=1` it
 * records it instead; the results of cases that are not run, those of another version, stay.
 *
 * @param cases names of all cases, in the order of the file
 */
export function checkRecord(name: string, cases: readonly string[]) {
  const isRecording = process.env['SYNCER_RECORD'] === '1';
  let before: Results = {};
  try {
    before = readRecord(name);
  } catch (thrown) {
    if (!isRecording) throw thrown;
  }
  const seen: Record<string, unknown> = {};
  if (isRecording) {
    afterAll(() => {
      const lines = cases
        .map((each) => [each, seen[each] ?? before[each]] as const)
        .filter(([, result]) => result !== undefined)
        .map(([each, result]) => `${JSON.stringify(each)}: ${JSON.stringify(result)}`);
      writeFileSync(fileOf(name), `{\n${lines.join(',\n')}\n}\n`);
    });
  }
  return (each: string, result: unknown): void => {
    seen[each] = result;
    if (!isRecording) expect(result).toEqual(before[each]);
  };
}

/**
 * What a run changed in a tree, as `readTree` gives it before and after: `null` where something was deleted. The
 * second of a time of the last hour is `now`, a name has `TODAY` for the date of the last minutes in UTC.
 */
export function treeChanges(
  before: Readonly<Record<string, string>> = {},
  after: Readonly<Record<string, string>> = {},
): Record<string, string | null> {
  const changed: Record<string, string | null> = {};
  for (const path of Object.keys({ ...before, ...after }).sort()) {
    const file = after[path];
    if (before[path] === file) continue;
    changed[withoutToday(path)] = file === undefined ? null : shortened(withoutNow(file));
  }
  return changed;
}

function withoutToday(path: string): string {
  const dates = [0, 600_000].map((ms) => new Date(Date.now() - ms).toISOString().slice(0, 10));
  return dates.reduce((name, date) => name.replaceAll(date, 'TODAY'), path);
}

function withoutNow(file: string): string {
  const second = Number(/@(\d+)$/.exec(file)?.[1] ?? 0);
  return Math.abs(Date.now() / 1000 - second) < 3600 ? file.replace(/\d+$/, 'now') : file;
}

/** A text of at most 200 letters: of a longer one the middle is replaced by how long it is. */
export function shortened(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 20)}… (${text.length}) …${text.slice(-20)}`;
}
