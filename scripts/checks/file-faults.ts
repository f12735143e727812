import { basename } from 'node:path';
import type { SourceFile } from './source-files.ts';

/** Lines that a file may have at most. */
export const LONGEST_FILE = 500;

const VAGUE = /(^|[-.])(utils?|helpers?|(?<!mime-)types|managers?|services?|common|misc)([-.]|$)/;
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*\.(ts|tsx|mjs)$/;

/** The files that are too long, one line each. */
export function findSizeFaults(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ text }) => countLines(text) > LONGEST_FILE)
    .map(({ path, text }) => `${path} has ${countLines(text)} lines, ${LONGEST_FILE} are the most`);
}

/** The files whose names do not say what they hold, or are not written-like-this.ts. */
export function findNameFaults(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const name = basename(path);
    if (VAGUE.test(name)) return [`${path}: the name does not say what the file holds`];
    return KEBAB.test(name) ? [] : [`${path}: file names are written-like-this.ts`];
  });
}

function countLines(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

const TYPE = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;

/** Every exported type whose name another file exports as well, one line each: one idea has one name. */
export function findTypeNameFaults(files: readonly SourceFile[]): string[] {
  const types = files.flatMap(({ path, text }) =>
    [...text.matchAll(TYPE)].map((match) => ({ path, name: match[1] ?? '' })),
  );
  return [...Map.groupBy(types, ({ name }) => name)]
    .filter(([, found]) => new Set(found.map(({ path }) => path)).size > 1)
    .map(([name, found]) => `${found.map(({ path }) => path).join(', ')}: each exports ${name}`);
}
