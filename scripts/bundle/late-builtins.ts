import type { Plugin } from 'rolldown';

/** Modules of Node that take milliseconds to load, or to be imported whole, and of which most runs need little. */
const LATE: ReadonlySet<string> = new Set([
  'node:crypto',
  'node:dns/promises',
  'node:fs/promises',
  'node:os',
  'node:stream/consumers',
  'node:stream/promises',
  'node:timers/promises',
  'node:tls',
  'node:util',
  'node:zlib',
]);

const MARK = '\0late:';

/**
 * Has these modules of Node loaded when one of their functions is first called, instead of at the start of whatever
 * imports it. Only for the project's own files: packages may do more with such a module than to call it.
 */
export function lateBuiltins(): Plugin {
  return {
    name: 'late modules of Node',
    resolveId(source, importer) {
      const isOurs = importer !== undefined && !/\0|[/\\]node_modules[/\\]/.test(importer);
      return LATE.has(source) && isOurs ? { id: MARK + source, moduleSideEffects: false } : null;
    },
    load(id) {
      return id.startsWith(MARK) ? lateModule(id.slice(MARK.length)) : null;
    },
  };
}

/** The text of a module with all that the one of Node exports; functions are looked up when they are called. */
function lateModule(name: string): string {
  const exports = Object.entries(process.getBuiltinModule(name) as Record<string, unknown>);
  const isLate = ([key, value]: [string, unknown]) =>
    typeof value === 'function' && /^[a-z]/.test(key);
  const late = exports
    .filter(isLate)
    .map(([key]) => `export const ${key} = (...args) => load().${key}(...args);`);
  const direct = exports
    .filter((each) => !isLate(each) && /^\w+$/.test(each[0]) && each[0] !== 'default')
    .map(([key]) => `export { ${key} } from '${name}';`);
  const load = `const load = () => process.getBuiltinModule('${name}');`;
  return [load, ...late, ...direct].join('\n');
}
