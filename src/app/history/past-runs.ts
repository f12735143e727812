import fs from 'node:fs';
import { dirname } from 'node:path';
import { makeFolderSync } from '../../files/make-folder.ts';
import { openRegularFileSync, readRegularFile } from '../../files/read-whole.ts';
import { replaceText } from '../../files/replace-text.ts';
import { formatPastRun, type PastRun, parsePastRun } from '../../home/past-run.ts';

/** How many runs are kept when the file is trimmed. */
const KEPT_RUNS = 200;

/** Size from which the file is trimmed, in bytes. */
const LONG_FILE = 256 * 1024;

/**
 * Adds a run to the history in `file`, which only the user can read. A line is written in one call, so that runs that
 * end at the same time do not mix.
 */
export async function addPastRun(file: string, run: PastRun): Promise<void> {
  makeFolderSync(dirname(file), 0o700);
  const { O_WRONLY, O_APPEND, O_CREAT } = fs.constants;
  const fd = openRegularFileSync(file, O_WRONLY | O_APPEND | O_CREAT, 0o600);
  let isLong = false;
  try {
    fs.appendFileSync(fd, formatPastRun(run));
    isLong = fs.fstatSync(fd).size > LONG_FILE;
  } finally {
    fs.closeSync(fd);
  }
  if (isLong) await shorten(file);
}

/** The last runs, newest first; empty if there is no history. */
export async function readPastRuns(
  file: string | undefined,
  limit = KEPT_RUNS,
): Promise<readonly PastRun[]> {
  const text = file === undefined ? '' : await readRegularFile(file).then(String, () => '');
  const runs: PastRun[] = [];
  // A line that was cut by a crash or a full disk has the next run behind it.
  for (const line of text.split(/\n|(?=\{"endedMs":)/).reverse()) {
    if (runs.length === limit) break;
    const run = parsePastRun(line);
    if (run !== undefined) runs.push(run);
  }
  return runs;
}

async function shorten(file: string): Promise<void> {
  const kept = (await readPastRuns(file)).toReversed();
  await replaceText(file, kept.map(formatPastRun).join(''));
}
