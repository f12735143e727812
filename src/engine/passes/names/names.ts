import { execFile } from 'node:child_process';
import { RE2JS, RE2JSException } from 're2js';
import { type ErrorCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import { nameFromBytes, nameToBytes } from '../../../core/name-bytes.ts';
import type { Entry } from '../../../core/remote.ts';
import { SyntaxFault } from '../../../go/first-match.ts';
import { formatByGoLayout, namedGoLayout } from '../../../go/format-by-go-layout.ts';
import { combineRules, convertName, parseRules } from '../../../names/name-encoding.ts';
import { suffixedPath } from '../../../names/suffixed-path.ts';
import { exactCommand } from '../../../system/exact-command.ts';
import type { NameTransform } from '../../sync-option-parts.ts';

/** One `--name-transform`: what it changes, and how. */
interface Step {
  readonly of: Entry['kind'] | 'all';
  readonly change: ChangeName;
}

/**
 * The changes of names that `--name-transform` describes, in their order, as in rclone 1.75.
 * Throws `usage` for an unknown one or one without its value, `no-retry` for a
 * value that makes no sense.
 *
 * @param nowMs the time of `date=`
 */
export function nameTransform(
  texts: readonly string[],
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): NameTransform {
  const steps = texts.map((text): Step => {
    const [, tag = 'file', rest = ''] = /^(?:(file|dir|all),)?(.*)$/s.exec(text) ?? [];
    const equals = rest.indexOf('=');
    const name = (equals < 0 ? rest : rest.slice(0, equals)).toLowerCase();
    const value = equals < 0 ? undefined : rest.slice(equals + 1);
    const make = ALGORITHMS[name];
    const fail = (code: ErrorCode, why: string, cause?: unknown) =>
      new SyncerError(code, `--name-transform ${text}: ${why}`, { cause });
    if (make === undefined) {
      throw fail('usage', `unknown change "${name}": use ${Object.keys(ALGORITHMS).join(', ')}`);
    }
    try {
      return { of: tag as Step['of'], change: make(value, { nowMs, signal }) };
    } catch (thrown) {
      const code = value === undefined ? 'usage' : 'no-retry';
      throw fail(code, toSyncerError(thrown).message, thrown);
    }
  });
  return {
    async name(leaf, kind) {
      let name = leaf;
      for (const { of, change } of steps)
        if (of === 'all' || of === kind) name = checked(await change(name));
      return name;
    },
  };
}

/** Throws `name-invalid` for what cannot be the name of a file. */
function checked(name: string): string {
  const why =
    name === ''
      ? 'nothing would be left of it'
      : name.includes('/')
        ? `"${name}" has a path separator`
        : name === '.' || name === '..' || nameToBytes(name).includes(0)
          ? `"${name}" is not a valid name`
          : undefined;
  if (why === undefined) return name;
  throw new SyncerError('name-invalid', why);
}

/** The new name of a name. */
type ChangeName = (name: string) => string | Promise<string>;

interface Around {
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Makes a change of its value. Throws where the value makes no sense. */
type MakeChange = (value: string | undefined, around: Around) => ChangeName;

const text =
  (make: (value: string, around: Around) => ChangeName): MakeChange =>
  (value, around) => {
    if (value === undefined) throw fault('it needs a value, after a "="');
    return make(value, around);
  };

const count = (make: (most: number) => ChangeName): MakeChange =>
  text((value) => {
    if (!/^[-+]?\d{1,9}$/.test(value)) throw fault(`"${value}" is not a whole number`);
    const most = Number(value);
    return most > 0 ? make(most) : (name) => name;
  });

const plain =
  (change: ChangeName): MakeChange =>
  () =>
    change;

/** The changes by name, in the order of rclone's list. */
const ALGORITHMS: Readonly<Record<string, MakeChange>> = {
  none: plain((name) => name),
  nfc: plain((name) => name.normalize('NFC')),
  nfd: plain((name) => name.normalize('NFD')),
  nfkc: plain((name) => name.normalize('NFKC')),
  nfkd: plain((name) => name.normalize('NFKD')),
  replace: text((value) => {
    const [from, to, ...more] = value.split(':');
    if (from === undefined || to === undefined || more.length > 0) throw fault('use old:new');
    return (name) => {
      if (from !== '') return name.replaceAll(from, () => to);
      // As Go's `ReplaceAll` of an empty text: around each character.
      return to + [...name].map((one) => one + to).join('');
    };
  }),
  prefix: text((value) => (name) => value + name),
  suffix: text((value) => (name) => name + value),
  suffix_keep_extension: text(
    (value) => (name) => suffixedPath(name, { suffix: value, keepExtension: true }),
  ),
  trimprefix: text((value) => (name) => (name.startsWith(value) ? name.slice(value.length) : name)),
  trimsuffix: text(
    (value) => (name) =>
      value !== '' && name.endsWith(value) ? name.slice(0, -value.length) : name,
  ),
  date: text((value, { nowMs }) => {
    const date = value.replace(/\{(.*)\}/s, (_, format: string) =>
      formatByGoLayout(nowMs, DATES[format.toLowerCase()] ?? namedGoLayout(format)),
    );
    return (name) => name + date;
  }),
  truncate: count((most) => (name) => [...name].slice(0, most).join('')),
  truncate_keep_extension: count((most) => (name) => {
    const [stem, extension] = parts(name);
    const room = most - [...extension].length;
    return room > 0 ? [...stem].slice(0, room).join('') + extension : '';
  }),
  truncate_bytes: count((most) => (name) => firstBytes(name, most)),
  truncate_bytes_keep_extension: count((most) => (name) => {
    const [stem, extension] = parts(name);
    const kept = firstBytes(stem, most - nameToBytes(extension).length);
    return kept === '' ? '' : kept + extension;
  }),
  base64encode: plain((name) => base64(nameToBytes(name))),
  base64decode: plain((name) => {
    const bytes = Buffer.from(name, 'base64url');
    if (base64(bytes) === name) return nameFromBytes(bytes);
    throw new SyncerError('name-invalid', 'it is not base64');
  }),
  encoder: text((value) => {
    const rules = parseRules(value);
    return (name) => convertName(RAW, rules, name);
  }),
  decoder: text((value) => {
    const rules = parseRules(value);
    return (name) => convertName(rules, RAW, name);
  }),
  'iso-8859-1': plain((name) => inCharset(name, latin1())),
  'windows-1252': plain((name) => inCharset(name, charsetOf('windows-1252'))),
  macintosh: plain((name) => inCharset(name, charsetOf('macintosh'))),
  charmap: text((value) => {
    const charset = charsetNamed(value);
    return (name) => inCharset(name, charset);
  }),
  lowercase: plain((name) => eachCharacter(name, (one) => one.toLowerCase())),
  uppercase: plain((name) => eachCharacter(name, (one) => one.toUpperCase())),
  titlecase: plain((name) => eachCharacter(name, (one) => one.toUpperCase())),
  ascii: plain((name) => [...name].filter((one) => one <= '\x7f').join('')),
  url: plain((name) => queryEscape(nameToBytes(name))),
  regex: text((value) => {
    const [expression, replacement, ...more] = value.split('/');
    if (expression === undefined || replacement === undefined || more.length > 0) {
      throw fault('use pattern/replacement');
    }
    return replaceAll(expression, replacement);
  }),
  command: text(
    (program, { signal }) =>
      (name) =>
        output(program, name, signal),
  ),
};

const RAW = combineRules(['Raw']);

/** rclone's own names of dates, besides those of Go's layouts. */
const DATES: Readonly<Record<string, string>> = {
  yyyymmdd: '20060102',
  macfriendlytime: '2006-01-02 0304PM',
};

const fault = (why: string): SyncerError => new SyncerError('usage', why);

/** The name before its extensions, and these: those of `--suffix-keep-extension`. */
function parts(name: string): readonly [stem: string, extension: string] {
  const marked = suffixedPath(name, { suffix: '/', keepExtension: true });
  const cut = marked.indexOf('/');
  return [marked.slice(0, cut), marked.slice(cut + 1)];
}

/** As many whole characters as fit. */
function firstBytes(name: string, most: number): string {
  let left = most;
  const kept = [...name].findIndex((one) => {
    left -= nameToBytes(one).length;
    return left < 0;
  });
  return kept < 0 ? name : [...name].slice(0, kept).join('');
}

/** Letters for which Go has no single other one stay. */
function eachCharacter(name: string, change: (character: string) => string): string {
  return [...name]
    .map((one) => {
      const [first = one, ...more] = change(one);
      return more.length === 0 ? first : one === 'İ' ? 'i' : one;
    })
    .join('');
}

/** With the two letters for URLs, which are possible in names. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

function queryEscape(bytes: Uint8Array): string {
  let escaped = '';
  for (const byte of bytes) {
    const one = String.fromCharCode(byte);
    if (one === ' ') escaped += '+';
    else if (/[\w.~-]/.test(one)) escaped += one;
    else escaped += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}

/** Characters that a character set lacks become `_`. */
function inCharset(name: string, charset: ReadonlySet<string>): string {
  return [...name].map((one) => (charset.has(one) ? one : '_')).join('');
}

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);

/** Throws `RangeError` for an unknown one. */
function charsetOf(label: string): ReadonlySet<string> {
  const found = new Set(new TextDecoder(label).decode(ALL_BYTES));
  found.delete('\ufffd');
  return found;
}

function latin1(): ReadonlySet<string> {
  return new Set([...ALL_BYTES].map((byte) => String.fromCharCode(byte)));
}

function charsetNamed(name: string): ReadonlySet<string> {
  const label = name
    .toLowerCase()
    .replace('ibm-code-page-', 'ibm')
    .replace('macintosh-cyrillic', 'x-mac-cyrillic');
  if (label === 'iso-8859-1') return latin1();
  try {
    return charsetOf(label);
  } catch {
    throw fault(`no table of the character set "${name}" is known here`);
  }
}

/** What the program prints about a name. Rejects with `no-retry`. */
function output(program: string, name: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { signal, encoding: 'buffer' } as const;
    const { file, args } = exactCommand({ file: program, args: [name] });
    execFile(file, args, options, (error, stdout) => {
      if (error === null) resolve(nameFromBytes(stdout).trim());
      else if (signal.aborted) reject(toSyncerError(signal.reason));
      else reject(new SyncerError('no-retry', `the program ${program} failed: ${error.message}`));
    });
  });
}

/**
 * A function that replaces all matches in a text, as Go's `ReplaceAllString`: `$1`, `$name` and `${name}` are groups,
 * `$$` is a dollar sign. Throws `SyntaxFault` for an expression that Go refuses.
 */
function replaceAll(expression: string, replacement: string): (text: string) => string {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(expression);
  } catch (thrown) {
    if (!(thrown instanceof RE2JSException)) throw thrown;
    throw new SyntaxFault(thrown.message.replace(/^error parsing regexp: /, ''));
  }
  const names = compiled.namedGroups();
  return (text) => {
    const matcher = compiled.matcher(text);
    let [result, at] = ['', 0];
    while (matcher.find()) {
      const group = (name: string) => {
        const number = /^\d+$/.test(name) ? Number(name) : names[name];
        if (number === undefined || number > matcher.groupCount()) return '';
        return matcher.group(number) ?? '';
      };
      const expanded = replacement.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (found, braced, bare) =>
        found === '$$' ? '$' : group(braced ?? bare),
      );
      result += text.slice(at, matcher.start()) + expanded;
      at = matcher.end();
    }
    return result + text.slice(at);
  };
}
