import { isDeepStrictEqual } from 'node:util';
import { ALIAS_TYPE } from './alias-target.ts';
import { createRemote } from './edit-remote.ts';
import { type ConfigSections, type IniLine, iniSections } from './ini-lines.ts';
import { isRemoteName } from './remote-names.ts';
import { parseRemoteSpec } from './remote-spec.ts';

/** The result for a section of a foreign configuration. */
export type ImportOutcome =
  | 'imported'
  /** It replaced a remote of the same name. */
  | 'replaced'
  /** An equal remote exists. */
  | 'unchanged'
  /** A different remote of this name exists. */
  | 'exists'
  /** It is an alias of a remote that does not exist, or of itself. */
  | 'leads-nowhere'
  /** It has no type or an invalid name. */
  | 'invalid';

/** Why a section is not imported, in a few words, in the order of the summary. */
export const SKIPPED: Readonly<Partial<Record<ImportOutcome, string>>> = {
  invalid: 'no type, or an invalid name',
  'leads-nowhere': 'the remote that it stands for does not exist',
  exists: 'the name is taken',
  unchanged: 'already imported',
};

/** A section of a foreign configuration, and its result. */
export interface ImportedRemote {
  readonly name: string;
  /** `''` if it has none. */
  readonly type: string;
  readonly outcome: ImportOutcome;
}

/** Imports the remotes of `foreign`; `force` replaces those of the same name. Pure. Returns all with their results. */
export function importRemotes(lines: readonly IniLine[], foreign: ConfigSections, force: boolean) {
  const here = iniSections(lines);
  const remotes = [...foreign].map(([name, values]): ImportedRemote => {
    const type = values.get('type') ?? '';
    const old = here.get(name);
    let outcome: ImportOutcome = force ? 'replaced' : 'exists';
    if (type === '' || !isRemoteName(name)) outcome = 'invalid';
    else if (old !== undefined && isDeepStrictEqual(old, values)) outcome = 'unchanged';
    else if (!leadsSomewhere(name, here, foreign, new Set())) outcome = 'leads-nowhere';
    else if (old === undefined) outcome = 'imported';
    return { name, type, outcome };
  });
  let changed = lines;
  for (const { name, type, outcome } of remotes) {
    if (outcome !== 'imported' && outcome !== 'replaced') continue;
    const values = new Map(foreign.get(name));
    values.delete('type');
    changed = createRemote(changed, name, type, values);
  }
  return { lines: changed, remotes };
}

/** Whether the remote, or the target of an alias, will exist. */
function leadsSomewhere(
  name: string,
  here: ConfigSections,
  foreign: ConfigSections,
  seen: Set<string>,
): boolean {
  if (seen.has(name)) return false;
  seen.add(name);
  const section = here.get(name) ?? foreign.get(name);
  const type = section?.get('type');
  if (section === undefined || type === undefined) return false;
  if (type !== ALIAS_TYPE) return true;
  let target: string;
  try {
    target = parseRemoteSpec(section.get('remote') ?? '').name;
  } catch {
    return false;
  }
  const needsNone = target === '' || target.startsWith(':');
  return needsNone || leadsSomewhere(target, here, foreign, seen);
}
