import { basename } from 'node:path';
import type { SourceFile } from './source-files.ts';

/** Lines a file may have: the middle of all files, the longest but a tenth, the longest. */
export const SIZE_LIMITS = { median: 90, p90: 200, longest: 350 };

const VAGUE = /(^|[-.])(utils?|helpers?|(?<!mime-)types|managers?|services?|common|misc)([-.]|$)/;
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*\.(ts|tsx|mjs)$/;

/** What is wrong with the lengths of the files, one line each. */
export function findSizeFaults(files: readonly SourceFile[]): string[] {
  const lengths = files.map(({ text }) => countLines(text)).sort((a, b) => a - b);
  const at = (share: number) => lengths[Math.ceil(lengths.length * share) - 1] ?? 0;
  const { median, p90, longest } = SIZE_LIMITS;
  const tooLong = files
    .filter(({ text }) => countLines(text) > longest)
    .map(({ path, text }) => `${path} has ${countLines(text)} lines, ${longest} are the most`);
  return [
    ...tooLong,
    ...(at(0.5) > median ? [`the median file has ${at(0.5)} lines, ${median} are the most`] : []),
    ...(at(0.9) > p90
      ? [`a tenth of the files has ${at(0.9)} lines or more, ${p90} are the most`]
      : []),
  ];
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
