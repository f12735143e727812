import { SyncerError } from '../core/errors.ts';
import type { IniLine } from './ini-lines.ts';
import { checkRemoteName } from './remote-name.ts';

/**
 * Gives a section another name; its keys, comments and place in the file stay. Throws `usage` where the new name
 * is none for a remote or is taken. Other remotes that lead to it (aliases) are not changed.
 */
export function renameSection(
  lines: readonly IniLine[],
  from: string,
  to: string,
): readonly IniLine[] {
  checkRemoteName(to);
  if (from === to) return lines;
  if (lines.some(({ section }) => section === to)) {
    throw new SyncerError(
      'usage',
      `a remote named "${to}" already exists: delete or rename it first`,
    );
  }
  return lines.map((line) => {
    if (line.section !== from) return line;
    const raw = line.kind === 'header' ? line.raw.replace(from, () => to) : line.raw;
    return { ...line, raw, section: to };
  });
}

/** The names of remotes that lead to the remote `name` by their key `remote`. */
export function leadingTo(
  config: ReadonlyMap<string, ReadonlyMap<string, string>>,
  name: string,
): readonly string[] {
  return [...config]
    .filter(([, values]) => /^([^:,]+)[:,]/.exec(values.get('remote') ?? '')?.[1] === name)
    .map(([other]) => other);
}
