import { sizeOfContent } from './content.ts';
import type { CaseFlags } from './flags.ts';
import { dirsAbove, type FoundFile, type Tree, timeOf } from './tree.ts';

/** Flags that leave files out. */
export const FILTER_FLAGS = [
  'include',
  'exclude',
  'filter',
  'files-from',
  'min-size',
  'max-size',
  'min-age',
  'max-age',
  'max-depth',
  'exclude-if-present',
];

/** Whether a run works on a file. Written from rclone's documentation, not from syncer's filters. */
export type Keeps = (path: string, file: FoundFile) => boolean;

/** The filter that the flags of a case make. `tree` is looked at for `--exclude-if-present`. */
export function filterOf(flags: CaseFlags, tree: Tree): Keeps {
  const rules = rulesOf(flags);
  const depth = flags.number('max-depth') ?? -1;
  const [minSize, maxSize] = [flags.number('min-size'), flags.number('max-size')];
  const [minAge, maxAge] = [ageOf(flags.text('min-age')), ageOf(flags.text('max-age'))];
  const mark = flags.text('exclude-if-present');
  return (path, file) => {
    const size = sizeOfContent(file.content);
    if (minSize !== undefined && size < minSize) return false;
    if (maxSize !== undefined && size > maxSize) return false;
    if (maxAge !== undefined && file.time < maxAge) return false;
    if (minAge !== undefined && file.time > minAge) return false;
    if (depth >= 0 && path.split('/').length > depth) return false;
    if (mark !== undefined) {
      const dirs = [...dirsAbove(path), ''];
      if (dirs.some((dir) => tree.files.has(dir === '' ? mark : `${dir}/${mark}`))) return false;
    }
    return rules(path);
  };
}

interface Rule {
  readonly keeps: boolean;
  readonly pattern: RegExp;
}

/** File rules and directory rules: a file is found where no directory above it is left out. */
function rulesOf(flags: CaseFlags): (path: string) => boolean {
  const ignoreCase = flags.has('ignore-case');
  const rules: { readonly files: Rule[]; readonly dirs: Rule[] } = { files: [], dirs: [] };
  const add = (keeps: boolean, written: string) => {
    const isDir = written.endsWith('/');
    const glob = isDir && !keeps ? `${written}**` : written;
    const ofAll = glob.includes('**');
    const rule = (text: string): Rule => ({ keeps, pattern: globPattern(text, ignoreCase) });
    if (!isDir || ofAll) {
      rules.files.push(rule(glob));
      if (keeps || glob === '*') rules.dirs.push(...dirGlobs(glob).map(rule));
    }
    if (isDir || ofAll) rules.dirs.push(rule(glob));
  };
  for (const glob of flags.list('include')) add(true, glob);
  for (const glob of flags.list('exclude')) add(false, glob);
  for (const text of flags.list('filter')) add(text.startsWith('+'), text.slice(2));
  if (flags.has('include')) add(false, '/**');
  const first = (some: readonly Rule[], path: string) =>
    some.find(({ pattern }) => pattern.test(path))?.keeps ?? true;
  return (path) =>
    first(rules.files, path) && dirsAbove(path).every((dir) => first(rules.dirs, `${dir}/`));
}

/** The directories that must be looked into for a glob. */
function dirGlobs(glob: string): string[] {
  const globs = new Set<string>();
  for (let rest = glob; ; ) {
    const [slash, stars] = [rest.lastIndexOf('/'), rest.lastIndexOf('**')];
    const cut = Math.max(slash, stars);
    if (cut < 0) break;
    rest = rest.slice(0, cut);
    globs.add(`${rest}${stars > slash ? '**' : ''}/`);
  }
  return globs.size === 0 ? ['/**'] : [...globs];
}

/** A glob as rclone's documentation tells it. */
function globPattern(glob: string, ignoreCase: boolean): RegExp {
  const rooted = glob.startsWith('/');
  let text = '';
  let inBraces = false;
  const whole = rooted ? glob.slice(1) : glob;
  for (let i = 0; i < whole.length; i++) {
    const char = whole[i] ?? '';
    if (char === '*' && whole[i + 1] === '*') {
      text += '.*';
      i++;
    } else if (char === '*') text += '[^/]*';
    else if (char === '?') text += '[^/]';
    else if (char === '{' || char === '}') {
      text += char === '{' ? '(?:' : ')';
      inBraces = char === '{';
    } else if (char === ',' && inBraces) text += '|';
    else if (char === '[') {
      const end = whole.indexOf(']', i);
      text += whole.slice(i, end + 1);
      i = end;
    } else text += char.replace(/[.+^$()|\\]/, '\\$&');
  }
  return new RegExp(`${rooted ? '^' : '(?:^|/)'}${text}$`, `s${ignoreCase ? 'iu' : 'u'}`);
}

/** A date as it is given to the flags of age. */
function ageOf(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : timeOf(`${Date.parse(`${text}T00:00:00Z`) / 1000}`);
}
