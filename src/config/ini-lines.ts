import { SyncerError } from '../core/errors.ts';

/** A line of a configuration file. The joined `raw` texts are the file. */
export interface IniLine {
  /** The line as in the file, including its line end. */
  readonly raw: string;
  readonly kind: 'blank' | 'comment' | 'header' | 'pair';
  /** The section of the line; for a header, the one it opens. */
  readonly section: string;
  /** For a `pair`: the name before the first `=` or `:`. */
  readonly key: string;
  /** For a `pair`: the rest of the line, literally, without spaces around it. */
  readonly value: string;
}

/** Names of remotes with their keys and values, in the order of the file. */
export type ConfigSections = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The section of pairs above the first header, as in rclone. */
export const DEFAULT_SECTION = 'DEFAULT';

/** Splits a configuration file into lines; refuses what rclone 1.60.1 does: throws `config` with the line number. */
export function parseIni(text: string, title: string): readonly IniLine[] {
  const lines: IniLine[] = [];
  let section = DEFAULT_SECTION;
  for (const [index, raw] of (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).entries()) {
    const line = parseLine(raw, section, index);
    if (line === undefined) {
      const why = 'is neither "[section]", "key = value" nor a comment';
      throw new SyncerError('config', `${title}: line ${index + 1} ${why}`);
    }
    if (line.kind === 'pair' && section === '') {
      const text = `${title}: line ${index + 1} is below a section without a name`;
      throw new SyncerError('config', text);
    }
    section = line.section;
    lines.push(line);
  }
  return lines;
}

/** The text of the file. */
export function iniText(lines: readonly IniLine[]): string {
  return lines.map((line) => line.raw).join('');
}

/** The sections with their values. Repeated sections are joined; the last of repeated keys wins. */
export function iniSections(lines: readonly IniLine[]): ConfigSections {
  const sections = new Map<string, Map<string, string>>();
  for (const { kind, section, key, value } of lines) {
    if (kind !== 'header' && kind !== 'pair') continue;
    const name = section === '' ? DEFAULT_SECTION : section;
    const values = sections.get(name) ?? new Map<string, string>();
    if (kind === 'pair') values.set(key, value);
    sections.set(name, values);
  }
  return sections;
}

/** Trims the blanks of Go's `strings.TrimSpace`, which rclone uses. */
export function trimBlanks(text: string): string {
  return text.replace(LEADING_BLANKS, '').replace(TRAILING_BLANKS, '');
}

const BLANK = '[\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const LEADING_BLANKS = new RegExp(`^${BLANK}+`);
const TRAILING_BLANKS = new RegExp(`(?<!${BLANK})${BLANK}+$`);

function parseLine(raw: string, section: string, index: number): IniLine | undefined {
  const text = trimBlanks(index === 0 ? raw.replace(/^\ufeff/, '') : raw);
  if (text === '') return { raw, kind: 'blank', section, key: '', value: '' };
  if (/^[#;]/.test(text)) return { raw, kind: 'comment', section, key: '', value: '' };
  if (text.startsWith('[') && text.endsWith(']')) {
    return { raw, kind: 'header', section: trimBlanks(text.slice(1, -1)), key: '', value: '' };
  }
  const equals = text.search(/[=:]/);
  if (equals <= 0) return undefined;
  const key = trimBlanks(text.slice(0, equals));
  return { raw, kind: 'pair', section, key, value: trimBlanks(text.slice(equals + 1)) };
}

/** The names of the sections of a file; none if it cannot be parsed. */
export function sectionNames(text: string, path: string): readonly string[] {
  try {
    return [...iniSections(parseIni(text, path)).keys()];
  } catch {
    return [];
  }
}
