import { SyncerError } from '../core/errors.ts';
import type { IniLine } from './ini-lines.ts';
import { checkRemoteName } from './remote-name.ts';

/**
 * Renames a section; its keys, comments and position stay. Throws `usage` if the new name is invalid or taken. Aliases
 * of it are not changed.
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

/** The names of aliases of the remote `name`. */
export function leadingTo(
  config: ReadonlyMap<string, ReadonlyMap<string, string>>,
  name: string,
): readonly string[] {
  return [...config]
    .filter(([, values]) => /^([^:,]+)[:,]/.exec(values.get('remote') ?? '')?.[1] === name)
    .map(([other]) => other);
}
