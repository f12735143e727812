import { dirname, join } from 'node:path';
import { harmless } from '../../src/core/shown-text.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { shownText } from '../../src/shell/log/shown-words.ts';
import { runInTerminal } from '../../src/shell/process/run-in-terminal.ts';
import type { ProgramKind } from '../../src/size-tree/browser-effects.ts';
import { specBelow } from './transfer-nodes.ts';

/** A pager that shows nothing once it has ended would show nothing at all. */
const PAGER = 'if command -v less >/dev/null 2>&1; then exec less "$1"; else exec more "$1"; fi';

/**
 * Runs the user's pager or editor with a file, or a shell in a directory of what is browsed: `$PAGER`, `$VISUAL` or
 * `$EDITOR`, `$SHELL`. The program takes the place of the shell that reads its line, so that it gets all signals.
 * Resolves to why it failed, or to `''`; a shell may end with any code.
 *
 * @param place what is browsed, and where it is on this machine
 */
export async function runProgram(
  { env, context: { signal } }: Invocation,
  kind: ProgramKind,
  path: string,
  { spec, disk }: { readonly spec: string; readonly disk: string | undefined },
): Promise<string> {
  if (kind === 'shell') {
    const file = env['SHELL'] || '/bin/sh';
    const place = specBelow(spec, path);
    const own = disk === undefined ? { SYNCER_REMOTE: place } : {};
    const shown = shownText(place);
    const where = disk === undefined ? `here, with SYNCER_REMOTE=${shown}` : `in ${shown}`;
    process.stdout.write(`A shell ${harmless(where)}; exit goes back.\n`);
    const cwd = disk === undefined ? undefined : join(disk, path);
    const why = await runInTerminal({ file, args: [], cwd, env: { ...env, ...own } }, signal);
    return why.startsWith('Cannot start') ? `${file}: ${why}` : '';
  }
  const pager = env['PAGER']?.trim() ?? '';
  const program =
    kind === 'editor'
      ? `exec env ${env['VISUAL'] || env['EDITOR'] || 'vi'} "$1"`
      : /^(?:cat)?$/.test(pager)
        ? PAGER
        : `exec env ${pager} "$1"`;
  const args = ['-c', program, 'sh', path];
  const why = await runInTerminal({ file: '/bin/sh', args, cwd: dirname(path), env }, signal);
  const name = program === PAGER ? 'less' : program.replace(/^exec env | "\$1"$/g, '');
  return why === '' ? '' : `${name}: ${why}`;
}
