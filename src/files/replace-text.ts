import { rename, writeFile } from 'node:fs/promises';

/** Replaces a file that only the user can read, at once: readers see the old or the new text. For what may be lost. */
export async function replaceText(path: string, text: string): Promise<void> {
  const beside = `${path}.${process.pid}`;
  await writeFile(beside, text, { mode: 0o600 });
  await rename(beside, path);
}
