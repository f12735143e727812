import { readdirSync } from 'node:fs';

/** Temporary files that syncer left below a folder, by path. */
export function leftovers(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.includes('.syncer-partial-'),
  );
}
