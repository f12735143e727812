import fs from 'node:fs';
import { dirname } from 'node:path';
import { withFileLock } from '../../config/file-lock.ts';
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
 * end at the same time do not mix; one that another run trims away with the file is written again.
 */
export async function addPastRun(file: string, run: PastRun): Promise<void> {
  makeFolderSync(dirname(file), 0o700);
  const line = formatPastRun(run);
  let written = append(file, line);
  while (!written.isAt) {
    if (String(await readRegularFile(file).catch(() => '')).includes(line)) break;
    written = append(file, line);
  }
  if (written.size > LONG_FILE) await shorten(file);
}

/** Appends to the file; returns its size, and whether it still has its name: `shorten` puts another one in its place. */
function append(file: string, text: string): { readonly size: number; readonly isAt: boolean } {
  const { O_WRONLY, O_APPEND, O_CREAT } = fs.constants;
  const fd = openRegularFileSync(file, O_WRONLY | O_APPEND | O_CREAT, 0o600);
  try {
    fs.appendFileSync(fd, text);
    const { dev, ino, size } = fs.fstatSync(fd);
    const found = fs.statSync(file, { throwIfNoEntry: false });
    return { size, isAt: found?.dev === dev && found.ino === ino };
  } finally {
    fs.closeSync(fd);
  }
}

/** The last runs, newest first; empty if there is no history. */
export async function readPastRuns(
  file: string | undefined,
  limit = KEPT_RUNS,
): Promise<readonly PastRun[]> {
  return file === undefined
    ? []
    : runsIn(await readRegularFile(file).then(String, () => ''), limit);
}

function runsIn(text: string, limit: number): readonly PastRun[] {
  const runs: PastRun[] = [];
  const seen = new Set<string>();
  // A line that was cut by a crash or a full disk has the next run behind it.
  for (const line of text.split(/\n|(?=\{"endedMs":)/).reverse()) {
    if (runs.length === limit) break;
    const run = seen.has(line) ? undefined : parsePastRun(line);
    // A run that wrote its line again while another one kept it has two.
    if (run?.id !== undefined) seen.add(line);
    if (run !== undefined) runs.push(run);
  }
  return runs;
}

/** Trims the file, if no other process does: what others write into the old file during that is kept. */
async function shorten(file: string): Promise<void> {
  const trim = async () => {
    const old = openRegularFileSync(file, fs.constants.O_RDONLY);
    try {
      if (fs.fstatSync(old).size <= LONG_FILE) return;
      const kept = runsIn(fs.readFileSync(old, 'utf8'), KEPT_RUNS).toReversed();
      await replaceText(file, kept.map(formatPastRun).join(''));
      const late = fs.readFileSync(old, 'utf8');
      if (late !== '') append(file, late);
    } finally {
      fs.closeSync(old);
    }
  };
  const noWait = AbortSignal.abort();
  await withFileLock(file, trim, noWait).catch((thrown) => {
    // Another run trims it.
    if (thrown !== noWait.reason) throw thrown;
  });
}
