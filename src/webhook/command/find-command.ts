import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { GoFault, goErrno } from '../../go/go-errno.ts';
import { goQuote } from '../../go/go-texts.ts';

/** A command that was found. */
export interface FoundCommand {
  /** As the log names it. */
  readonly shown: string;
  /** As the command sees it; only without a working directory it may be relative. */
  readonly path: string;
}

/**
 * Finds the program of a hook: a bare name in `PATH`, unless there is a working directory, to which every name that
 * is not absolute then belongs. Throws `GoFault`.
 */
export function findCommand(
  command: string,
  workingDirectory: string,
  searchPath: string,
): FoundCommand {
  const name =
    isAbsolute(command) || workingDirectory === '' ? command : join(workingDirectory, command);
  if (name.includes('/')) {
    const why = whyNotExecutable(name);
    const keeps = workingDirectory === '' || isAbsolute(name);
    if (why === undefined) return { shown: name, path: keeps ? name : resolve(name) };
    throw new GoFault(`exec: ${goQuote(name)}: ${why}`);
  }
  for (const folder of searchPath.split(':')) {
    const path = join(folder || '.', name);
    if (name === '' || whyNotExecutable(path) !== undefined) continue;
    if (isAbsolute(path)) return { shown: path, path };
    const relative = 'cannot run executable found relative to current directory';
    throw new GoFault(`exec: ${goQuote(name)}: ${relative}`);
  }
  throw new GoFault(`exec: ${goQuote(name)}: executable file not found in $PATH`);
}

function whyNotExecutable(path: string): string | undefined {
  if (path.includes('\0')) return `stat ${path}: invalid argument`;
  try {
    const found = statSync(path);
    if (found.isDirectory() || (found.mode & 0o111) === 0) return 'permission denied';
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code ?? '';
    if (code === 'EACCES') return 'permission denied';
    return `stat ${path}: ${goErrno(thrown)}`;
  }
}
