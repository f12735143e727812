/**
 * How this program starts itself anew: the executable and the words before its arguments. Inside a single executable
 * there is no script to name.
 */
export function ownCommand(): readonly [file: string, ...words: string[]] {
  const { execPath, execArgv, argv } = process;
  const script = argv[1];
  const isSingle = process.getBuiltinModule('node:sea').isSea();
  return isSingle || script === undefined ? [execPath] : [execPath, ...execArgv, script];
}
