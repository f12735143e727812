import { compareNames } from '../core/name-order.ts';
import { type ConfigSections, type IniLine, trimBlanks } from './ini-lines.ts';
import type { BackendKind } from './option-sources.ts';

/** The whole configuration as rclone prints it: comments stay, each section ends with an empty line. */
export function formatConfig(lines: readonly IniLine[]): string {
  let text = '';
  let comments = '';
  for (const line of lines) {
    if (line.kind === 'comment') comments += `${trimBlanks(line.raw)}\n`;
    if (line.kind !== 'header' && line.kind !== 'pair') continue;
    if (line.kind === 'header' && text !== '') text += '\n';
    text += comments;
    comments = '';
    text += line.kind === 'header' ? `[${line.section}]\n` : `${line.key} = ${line.value}\n`;
  }
  if (text === '') return `${comments}; empty config\n`;
  return `${text}${comments}\n`;
}

/** One section as rclone prints it: passwords that are obscured in the file are not shown. */
export function formatRemote(
  name: string,
  values: ReadonlyMap<string, string>,
  backend: BackendKind | undefined,
): string {
  const isHidden = (key: string) =>
    backend?.options.some((option) => option.name === key && option.obscured) === true;
  const lines = [...values].map(([key, value]) =>
    value !== '' && isHidden(key) ? `${key} = *** ENCRYPTED ***\n` : `${key} = ${value}\n`,
  );
  return `[${name}]\n${lines.join('')}`;
}

/** All sections as one JSON object, names and keys sorted; to the byte as Go's `json.MarshalIndent` writes it. */
export function dumpConfig(sections: ConfigSections): string {
  const object = sorted(sections).map(([name, values]) => {
    const pairs = sorted(values).map(([key, value]) => `        ${quote(key)}: ${quote(value)}`);
    return `    ${quote(name)}: ${braces(pairs, '    ')}`;
  });
  return braces(object, '');
}

function sorted<V>(map: ReadonlyMap<string, V>): [string, V][] {
  return [...map].sort(([a], [b]) => compareNames(a, b));
}

function braces(members: readonly string[], indent: string): string {
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
}

function quote(text: string): string {
  return JSON.stringify(text).replace(/\\(?:u....|.)|[<>&\u2028\u2029]/g, asGoWrites);
}

/** Go escapes some characters that JavaScript does not, and writes U+FFFD for bytes that are not UTF-8. */
function asGoWrites(part: string): string {
  if (part === '\\b') return '\\u0008';
  if (part === '\\f') return '\\u000c';
  if (/^\\ud[89a-f]/.test(part)) return '\\ufffd';
  if (part.startsWith('\\')) return part;
  return `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
