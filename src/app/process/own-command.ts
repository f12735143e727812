/**
 * How this program starts itself again: the executable and the words before its arguments. A single executable has no
 * script.
 */
export function ownCommand(): readonly [file: string, ...words: string[]] {
  const { execPath, execArgv, argv } = process;
  const script = argv[1];
  const isSingle = process.getBuiltinModule('node:sea').isSea();
  return isSingle || script === undefined ? [execPath] : [execPath, ...execArgv, script];
}
