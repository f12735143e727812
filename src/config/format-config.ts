import { compareNames } from '../core/name-order.ts';
import { goJson } from '../go/go-json.ts';
import { isReference } from '../kit/secret-reference.ts';
import { type ConfigSections, type IniLine, trimBlanks } from './ini-lines.ts';
import type { BackendKind } from './option-sources.ts';

/** The whole configuration as rclone prints it: with comments, and an empty line after each section. */
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

/** One section as rclone prints it, without obscured passwords. */
export function formatRemote(
  name: string,
  values: ReadonlyMap<string, string>,
  backend: BackendKind | undefined,
): string {
  const isHidden = (key: string) =>
    backend?.options.some((option) => option.name === key && option.obscured) === true;
  const lines = [...values].map(([key, value]) =>
    value !== '' && isHidden(key) && !isReference(value)
      ? `${key} = *** ENCRYPTED ***\n`
      : `${key} = ${value}\n`,
  );
  return `[${name}]\n${lines.join('')}`;
}

/** All sections as one JSON object with sorted names and keys, to the byte as in rclone. */
export function dumpConfig(sections: ConfigSections): string {
  const object = [...sections].map(([name, values]) => [name, sorted(values)] as const);
  return goJson(sorted(new Map(object)), '    ');
}

function sorted<V>(map: ReadonlyMap<string, V>): ReadonlyMap<string, V> {
  return new Map([...map].sort(([a], [b]) => compareNames(a, b)));
}
