/**
 * What the text of a thread must begin with: in a single executable a script that finds the program's modules, which the
 * main thread has run already (`scripts/release/runtime/start-thread.ts`); elsewhere nothing.
 */
export function threadPrelude(): string {
  const sea = process.getBuiltinModule('node:sea');
  return sea.isSea() ? `${sea.getAsset('modules.cjs', 'utf8')}\n` : '';
}
