import { BESIDE_TREE, type CommandLineCase } from '../support/command-line-case.ts';
import type { Tree } from '../support/file-tree.ts';

// What rclone has or does since 1.61, side by side with 1.75.

const tree: Tree = {
  ...BESIDE_TREE,
  list0: 'a.txt\0dir/a.txt\0none\0',
  list: 'a.txt\n# no comment\ndir/x.bin\n',
};

const TRANSFORMS = [
  ...['prefix=p_', 'suffix=_s', 'suffix_keep_extension=-x', 'trimprefix=a', 'trimsuffix=.txt'],
  ...['replace=a:Q', 'regex=[ab]+/z', 'regex=(.)\\.(.)/$2-$1', 'truncate=3', 'truncate_bytes=4'],
  ...['truncate_keep_extension=7', 'truncate_bytes_keep_extension=8', 'lowercase', 'uppercase'],
  ...['titlecase', 'ascii', 'url', 'nfc', 'nfd', 'nfkc', 'nfkd', 'base64encode'],
  ...['encoder=Dot,Slash,Del', 'decoder=Slash', 'charmap=ISO-8859-1', 'ISO-8859-1'],
  ...['all,prefix=p_', 'dir,uppercase', 'file,uppercase', 'none', 'date=-{DateOnly}'],
];

const LINES = [
  ...TRANSFORMS.map((how) => `copy src new --name-transform ${how}`),
  'copy src new --name-transform uppercase --name-transform suffix=.x',
  'sync src dst --name-transform all,prefix=p_',
  'move src dst --name-transform suffix=.x',
  'convmv src --name-transform uppercase',
  'convmv src --name-transform all,prefix=p_ --dry-run',
  ...['sync', 'copy'].flatMap((verb) =>
    ['combined', 'match', 'differ', 'missing-on-src', 'missing-on-dst', 'error'].map(
      (report) => `${verb} src dst --${report} -`,
    ),
  ),
  'sync src dst --dest-after - --format hs',
  'copy src dst --dest-after - --format ps',
  'check src dst --combined - --checksum --checkers 1',
  ...['unix', 'unixnano', 'RFC3339', 'DateOnly', 'RFC1123', 'max'].map(
    (format) => `lsf src -R --files-only --format pt --time-format ${format}`,
  ),
  'lsf src -R --csv --format ps',
  'lsf src --files-only --format ph --hash sha512',
  ...['sha512', 'blake3', 'xxh3', 'xxh128', 'md5', 'crc32'].map((name) => `hashsum ${name} src`),
  'lsf src -R --include {a,{b,c}}.{txt,dat}',
  'lsf src -R --include *.{txt,{d,b}at}',
  'lsf src -R --exclude {dir/{sub,none},x}/**',
  'lsf src -R --include {{a|b}}.{txt,dat}',
  'copy src new --files-from0 list0',
  'copy src new --files-from list',
  'copy src new --files-from-raw list --retries 1',
  ...['1/3', '2/3', '3/3', '0/3', '5/3', '1/1'].map((part) => `lsf src -R --hash-filter ${part}`),
  'copy src new --hash-filter 2/4',
  'sync src dst --max-delete-size 1k',
  'sync src dst --max-delete 2',
  'sync src dst --suffix -old --suffix-keep-extension',
  'sync src dst --backup-dir bak --suffix .x --suffix-keep-extension',
  'touch src/new -t 2020-01-02',
  'touch src -R -t 2020-01-02T03:04:05',
  ...['size src', 'size src --json', 'size src --exclude *', 'size src/dir'],
  'lsjson src --no-modtime --files-only',
  'lsjson src -R --hash-type md5 --no-modtime --no-mimetype --files-only',
  'lsjson src --stat --no-modtime',
  'copy src new -M --metadata-set mode=100700',
  'lsf src -R --files-only --min-size 3B --max-size 5B',
  'lsf src --files-only --max-age 2001-09-10',
  'lsf src --files-only --min-age 2014-01-01T00:00:00',
  'lsf src --files-only --max-age 20y',
  'lsf src -R -M --metadata-include mode=100644 --files-only',
  'lsf src -R -M --metadata-exclude mode=100644 --files-only',
  'cat src/a.txt src --separator X',
  'cat src --include *.txt --separator |',
  'purge src --include *.txt',
  'deletefile src/none',
  'copy none dst --retries 1',
  'copy src dst --no-update-dir-modtime --inplace',
  'copy src dst --max-transfer 1B --transfers 1 --retries 1 --include none',
  'sync src BUCKET/dst --combined -',
  'copy BUCKET/src new --name-transform uppercase',
  'copy src BUCKET/new --name-transform all,suffix=_s',
  'lsf BUCKET -R --format ps --files-only',
  'lsf BUCKET/src -R --include {a,{b,c}}.{txt,dat}',
  'lsf BUCKET/src -R --hash-filter 1/2',
  'size BUCKET',
  'touch BUCKET/src/a.txt -t 2020-01-02',
  'move BUCKET/src BUCKET/to --missing-on-dst -',
  'sync BUCKET/src dst --dest-after - --format ps',
  'delete BUCKET/src --hash-filter 1/2',
  ...['listremotes', 'listremotes --long', 'listremotes --json', 'listremotes s*'],
  ...['listremotes --type s3', 'listremotes --exact --name s', 'listremotes --order-by name=desc'],
  ...['one*', 'two', '*one', 'other'].map((glob) => `listremotes --long --description ${glob}`),
  'config redacted s3',
  'reveal YmJiYmJiYmJiYmJiYmJiYp3gcEWbAw',
  'reveal x',
  'reveal',
];

/** Command lines of which only the end counts: both print help of their own. */
const CODES = [
  ...[
    'ls',
    'size',
    'lsd src dst',
    'copy src',
    'lsf --no-such-flag src',
    'nosuch',
    'ls --max-depth x src',
  ],
  ...['lsf --hash-filter 1 src', 'lsf --hash-filter 1/0 src', 'lsf src --time-format', 'lsjson'],
  ...['copy src dst --name-transform truncate=x', 'copy src dst --name-transform replace=a'],
  ...['ls nosuch:', 'settier X src/a.txt', 'config string nosuch:', 'config unset nosuch a'],
  ...['copy src dst --max-duration 1ns', 'copy dst dst2 --max-transfer 1B --cutoff-mode hard'],
  ...[
    'lsf src --include {a',
    'lsf src --include a}',
    'lsf src --max-size 3x',
    'touch src/a.txt -t x',
  ],
  ...['rmdir src --retries 1', 'copy src new --bwlimit-file=', 'copy src new --max-duration -1s'],
  ...['copy src new --default-time foo', 'lsf src --default-time=', 'ls --timeout 60 src'],
  ...[
    'copy src new --max-duration 1d12',
    'copy src new --modify-window 1',
    'ls src --contimeout 0',
  ],
];

const casesOf = (lines: readonly string[]): Readonly<Record<string, CommandLineCase>> =>
  Object.fromEntries(lines.map((args) => [args, { args, tree, only: 'now' }]));

export const NEWER_CASES = casesOf(LINES);

/** Only their exit codes are compared. */
export const NEWER_CODES = casesOf(CODES);
