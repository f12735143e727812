import { join } from 'node:path';
import { readTree, type Tree, writeTree } from './file-tree.ts';
import { type Compared, shortened, treeChanges } from './record.ts';

/**
 * Command lines separated by ` ; `, or the words of one, run in a folder that holds `tree`. `BUCKET` in it is a bucket that holds `tree`, too, and `DST`
 * the folder `dst` on a disk that does not tell case apart.
 */
export interface CommandLineCase extends Compared {
  readonly args: string | readonly string[];
  readonly tree: Tree;
}

/** Files of a source and a destination that differ in most ways that a comparison knows. */
export const BESIDE_TREE: Tree = {
  'src/a.txt': 'content of a',
  'src/b.dat': ['bb', 1_500_000_000],
  'src/B.Mixed': 'mixed',
  'src/c.tar.gz': ['new archive', 1_400_000_000],
  'src/ünï ☃.txt': 'snow',
  'src/dir/a.txt': 'below',
  'src/dir/sub/c.dat': 'deeper',
  'src/dir/x.bin': '',
  'src/same': 'same',
  'dst/c.tar.gz': 'old archive!',
  'dst/same': 'same',
  'dst/extra.txt': 'extra extra extra',
  'dst/gone/x': 'x',
};

/** Runs a command line in a folder. */
type RunLine = (
  words: readonly string[],
  cwd: string,
) => Promise<{
  readonly code: number | null;
  readonly stdout: string | Buffer;
  readonly stderr: string;
}>;

/** What a case printed and changed. */
export interface CaseEnd {
  readonly code: number | null;
  readonly lines?: readonly string[];
  readonly tree?: Readonly<Record<string, string | null>>;
  /** Changes in the bucket, if there is one. */
  readonly stored?: Readonly<Record<string, string | null>>;
  /** The names that were skipped as duplicates. */
  readonly duplicates?: readonly string[];
}

/**
 * Plays a case in a new folder `dir`, with a bucket of the name of the folder: a folder in `buckets`, which the server
 * of `s3:` has.
 */
export async function playCase(
  { args, tree }: CommandLineCase,
  { dir, buckets, run }: { readonly dir: string; readonly buckets: string; readonly run: RunLine },
): Promise<{ readonly end: CaseEnd; readonly stderr: string }> {
  const name = dir.slice(dir.lastIndexOf('/') + 1);
  const bucket = `s3:${name}`;
  await writeTree(dir, tree);
  if (typeof args === 'string' && args.includes('BUCKET')) {
    const files = Object.entries(tree).filter(
      ([path, file]) => !path.endsWith('/') && !file.toString().startsWith('-> '),
    );
    await writeTree(join(buckets, name), Object.fromEntries(files));
  }
  const state = async () => {
    const stored = Object.entries((await readTree(join(buckets, name))) ?? {});
    return {
      tree: await readTree(dir),
      stored: Object.fromEntries(stored.filter(([path]) => !/\/$|^\.syncer-s3\//.test(path))),
    };
  };
  const before = await state();
  const commands =
    typeof args === 'string'
      ? args
          .replaceAll('BUCKET', bucket)
          .replaceAll('DST', ':local,case_insensitive=true:dst')
          .split(' ; ')
          .map((line) => line.split(' '))
      : [args];
  let code: number | null = 0;
  let [stdout, stderr] = ['', ''];
  for (const words of commands) {
    const ended = await run(words, dir);
    code = ended.code;
    stdout += ended.stdout;
    stderr += ended.stderr;
  }
  const after = await state();
  const end: CaseEnd = {
    code,
    ...someOf('lines', stdout.split('\n').filter(Boolean).map(steady).sort()),
    ...someOf('duplicates', (stderr.match(/\S+: Duplicate .* - ignoring/g) ?? []).sort()),
    ...someOf('tree', treeChanges(before.tree, after.tree)),
    ...someOf('stored', treeChanges(before.stored, after.stored)),
  };
  return { end, stderr };
}

const someOf = (name: string, some: object) =>
  Object.keys(some).length === 0 ? {} : { [name]: some };

/** A line without the times of the moment and the port of the server. */
const steady = (line: string) =>
  shortened(line)
    .replace(/127\.0\.0\.1:\d+/g, 'SERVER')
    // Each file system has a size of its own for a directory.
    .replace(/"Size":\d+(?=,"MimeType":"inode\/directory")/, '"Size":4096')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+/g, (time) =>
      Math.abs(Date.parse(`${time}Z`) - Date.now()) < 3_600_000 ? 'NOW' : time,
    );
