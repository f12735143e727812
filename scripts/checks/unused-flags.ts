import type { SourceFile } from './source-files.ts';

/** `flags.key`, `flags['key']`. */
const MEMBER = /\bflags(?:\??\.(\w+)|\[['"]([\w-]+)['"]\])/g;
/** ``flags[`delete-${when}`]``. */
const COMPOSED = /\bflags\[`([\w-]+)\$\{/g;
/** `{ key, 'other-key': name } = flags`, `{ … }: Flags`, `{ … }: CatFlags`, `{ … }: FlagsWith<…>`, `flags: { … }`. */
const DESTRUCTURED = [
  /\{([^{}]*)\}(?:: \w+)? = (?:[\w.]*\.)?flags\b/g,
  /\{([^{}]*)\}: (?:Pick<)?\w*Flags(?:With)?\b/g,
  /\bflags: \{([^{}]*)\}/g,
];

/**
 * The keys of the flag table that no code reads. A file that reads flags by a variable (`flags[name]`) reads all
 * that it names, and all of a group that it names.
 *
 * @param files the sources, without the table itself
 * @param groups the keys of each part of the table, by the name of the constant that holds it
 */
export function findUnusedFlags(
  keys: readonly string[],
  files: readonly SourceFile[],
  groups: Readonly<Record<string, readonly string[]>> = {},
): string[] {
  const byVariable = files.filter(({ text }) => /\bflags\[[a-z]/i.test(text));
  const named = byVariable.flatMap(({ text }) => [
    ...keys.filter((key) => text.includes(`'${key}'`)),
    ...Object.entries(groups).flatMap(([name, group]) => (text.includes(name) ? group : [])),
  ]);
  const stems = files.flatMap(({ text }) => [...text.matchAll(COMPOSED)].map((m) => m[1] ?? ''));
  const direct = files.flatMap(({ text }) => [...membersIn(text), ...destructuredIn(text)]);
  const read = new Set([...direct, ...named]);
  return keys.filter((key) => !read.has(key) && !stems.some((stem) => key.startsWith(stem)));
}

function membersIn(text: string): string[] {
  return [...text.matchAll(MEMBER)].map((match) => match[1] ?? match[2] ?? '');
}

function destructuredIn(text: string): string[] {
  const lists = DESTRUCTURED.flatMap((pattern) => [...text.matchAll(pattern)]);
  const names = lists.flatMap((match) => (match[1] ?? '').split(','));
  return names.map((name) => /^\s*'?([\w-]+)/.exec(name)?.[1] ?? '');
}
