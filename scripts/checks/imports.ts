import { posix } from 'node:path';
import type { SourceFile } from './source-files.ts';

/** One import of a file: where it points, and whether it is read only when it is reached. */
export interface Import {
  /** A path relative to the project's directory for the project's own files, else the specifier as it stands. */
  readonly target: string;
  /** The target is one of the project's files. */
  readonly own: boolean;
  /** `import(…)`: read when it is reached. */
  readonly lazy: boolean;
}

const STATEMENTS = [
  /^import\s+(?:[\w$\s{},*]+\s+from\s+)?['"]([^'"]+)['"]/gm,
  /^export\s+(?:type\s+)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^}]*\})\s+from\s+['"]([^'"]+)['"]/gm,
];
const EXPRESSION = /\bimport\(\s*['"`]([^'"`]+)['"`]/g;
const REQUIRE = /\brequire(?:\.resolve)?\(\s*['"`]([^'"`]+)['"`]/g;

/**
 * The imports of a file. It relies on the formatter, which puts every import statement at the beginning
 * of a line; lines that begin as comments are left out.
 */
export function importsOf(file: SourceFile): Import[] {
  const code = file.text
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\*|\/\*\*)/.test(line))
    .join('\n');
  const read = (pattern: RegExp, lazy: boolean) =>
    [...code.matchAll(pattern)].map((match) => resolve(file.path, match[1] ?? '', lazy));
  return [
    ...STATEMENTS.flatMap((pattern) => read(pattern, false)),
    ...read(EXPRESSION, true),
    ...read(REQUIRE, true),
  ];
}

function resolve(from: string, specifier: string, lazy: boolean): Import {
  if (!specifier.startsWith('.')) return { target: specifier, own: false, lazy };
  return { target: posix.join(posix.dirname(from), specifier), own: true, lazy };
}
