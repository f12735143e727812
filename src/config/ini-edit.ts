import { SyncerError } from '../core/errors.ts';
import { DEFAULT_SECTION, type IniLine, trimBlanks } from './ini-lines.ts';
import { checkRemoteName } from './remote-names.ts';

/** Sets a key: changes its last line, or adds a line or a section; all other bytes stay. Throws `usage`. */
export function setIniValue(
  lines: readonly IniLine[],
  section: string,
  key: string,
  value: string,
): readonly IniLine[] {
  const wanted = pair(section, key, value, '');
  const at = lines.findLastIndex((line) => isPair(line, section, key));
  const old = lines[at];
  if (old !== undefined) {
    const end = lineEnd(old.raw);
    const prefix =
      old.value === ''
        ? old.raw.slice(0, old.raw.length - end.length)
        : old.raw.slice(0, old.raw.lastIndexOf(old.value));
    return lines.with(at, { ...wanted, raw: prefix + wanted.value + end });
  }
  const eol = lineEnd(lines[0]?.raw ?? '') || '\n';
  const line = pair(section, key, value, eol);
  const last = lines.findLastIndex((other) => other.section === section && isContent(other));
  if (last >= 0) return closeLine(lines, last, eol).toSpliced(last + 1, 0, line);
  const closed = closeLine(lines, lines.length - 1, eol);
  const bare = { section, key: '', value: '' };
  const header: IniLine = { ...bare, raw: `[${section}]${eol}`, kind: 'header' };
  const above = closed.at(-1);
  const isApart = above === undefined || above.kind === 'blank';
  const separator: IniLine = { ...bare, raw: eol, kind: 'blank', section: above?.section ?? '' };
  return [...closed, ...(isApart ? [] : [separator]), header, line];
}

/** Deletes all lines of a section that have this key. */
export function deleteIniKey(lines: readonly IniLine[], section: string, key: string) {
  return lines.filter((line) => !isPair(line, section, key));
}

/** Deletes a section with the comments and blank lines in and directly below it, not those before the next one. */
export function deleteIniSection(lines: readonly IniLine[], section: string): readonly IniLine[] {
  // Each starts with a header; the lines above the first header are a block too.
  const blocks: IniLine[][] = [];
  for (const line of lines) {
    const open = blocks.at(-1);
    if (open === undefined || line.kind === 'header') blocks.push([line]);
    else open.push(line);
  }
  return blocks.flatMap((block) => {
    const name = block[0]?.section || DEFAULT_SECTION;
    const content = block.findLastIndex(isContent);
    if (name !== section || content < 0) return block;
    const rest = block.slice(content + 1);
    const first = rest.findIndex((line) => line.kind !== 'blank');
    return first < 0 ? [] : rest.slice(first);
  });
}

function pair(section: string, key: string, value: string, eol: string): IniLine {
  if (trimBlanks(key) !== key || !/^[^[#;=:\n][^=:\n]*$/.test(key)) {
    throw new SyncerError('usage', `"${key}" is not a valid key name in the config file`);
  }
  if (section === '' || /\n/.test(section) || trimBlanks(section) !== section) {
    throw new SyncerError('usage', `"${section}" is not a valid section name in the config file`);
  }
  if (value.includes('\n')) {
    throw new SyncerError('usage', `the value of "${key}" has several lines; only one is allowed`);
  }
  const trimmed = trimBlanks(value);
  return { raw: `${key} = ${trimmed}${eol}`, kind: 'pair', section, key, value: trimmed };
}

function isPair(line: IniLine, section: string, key: string): boolean {
  return line.kind === 'pair' && line.section === section && line.key === key;
}

const isContent = (line: IniLine): boolean => line.kind === 'pair' || line.kind === 'header';

const lineEnd = (raw: string): string => /\r?\n$/.exec(raw)?.[0] ?? '';

/** Adds a line end to the line at `at` if the file ends without one. */
function closeLine(lines: readonly IniLine[], at: number, eol: string): readonly IniLine[] {
  const line = lines[at];
  if (line === undefined || line.raw.endsWith('\n')) return lines;
  return lines.with(at, { ...line, raw: line.raw + eol });
}

/** Renames a section, and nothing else, aliases of it neither. Throws `usage` if the new name is invalid or taken. */
export function renameSection(
  lines: readonly IniLine[],
  from: string,
  to: string,
): readonly IniLine[] {
  checkRemoteName(to);
  if (from === to) return lines;
  if (lines.some(({ section }) => section === to)) {
    const text = `a remote named "${to}" already exists: delete or rename it first`;
    throw new SyncerError('usage', text);
  }
  return lines.map((line) => {
    if (line.section !== from) return line;
    const raw = line.kind === 'header' ? line.raw.replace(from, () => to) : line.raw;
    return { ...line, raw, section: to };
  });
}
