import type { SourceFile } from './source-files.ts';

/** A type or a constant needs a comment only if its name and its members leave something open. */
const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*? ([\w$]+)(?!.*\(\))|class ([\w$]+))/;

/** The functions that carry out commands: their help says what they do. */
const COMMAND = /Command$/;

/** Every exported class, and function with parameters, without a doc comment before it, one line each. */
export function findDocCommentFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.split('\n');
    const documented = new Set<string>();
    return lines.flatMap((line, index) => {
      const [, ofFunction, ofClass] = EXPORT.exec(line) ?? [];
      const name = ofFunction ?? ofClass;
      if (name === undefined || COMMAND.test(name)) return [];
      if (lines[index - 1]?.trimEnd().endsWith('*/') === true) documented.add(name);
      // An overload's further signatures and its body share the comment of the first.
      return documented.has(name) ? [] : [`${path}:${index + 1}: ${name} has no doc comment`];
    });
  });
}

/** Every file that a comment names in backquotes and that does not exist, one line each. */
export function findNamedFileFaults(files: readonly SourceFile[]): string[] {
  const names = new Set(files.map(({ path }) => path.slice(path.lastIndexOf('/') + 1)));
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const comment = /^\s*(?:\/\/|\/?\*)(.*)/.exec(line)?.[1] ?? '';
      const named = [...comment.matchAll(/`([\w-]+\.tsx?)`/g)].map(([, name = '']) => name);
      const missing = named.filter((name) => !names.has(name));
      return missing.map((name) => `${path}:${index + 1}: there is no ${name}`);
    }),
  );
}
