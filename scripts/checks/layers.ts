/** What the files of one folder may import, besides each other. */
export interface Layer {
  /** The folder, or a single file. The longest one that a file lies in is the file's layer. */
  readonly folder: string;
  /** Folders and files of the project. */
  readonly may: readonly string[];
  /** Packages from npm: none, or any but those of the screens. */
  readonly packages: boolean;
  /** Every folder directly below is a layer of its own: they do not know each other. */
  readonly apart?: boolean;
}

const layer = (folder: string, may: readonly string[], packages = true): Layer => ({
  folder,
  may,
  packages,
});

/** The one file of `components` that others may import. */
const SCREENS_DOOR = 'components/open.ts';

/** Packages that draw on the terminal; only `components` may import them. */
export const SCREEN_PACKAGES = /^(ink|react)(-|\/|$)|^@inkjs\//;

/** The vocabulary and the tools, which every other layer may import: `core` in the picture. */
export const BASE: readonly string[] = [
  'src/core',
  'src/go',
  'src/hashes',
  'src/kit',
  'src/native',
];

/** The layers below the program `syncer`, from the centre outwards. */
const BELOW_APP: readonly Layer[] = [
  layer('src/core', [], false),
  layer('src/native', []),
  layer('src/go', ['src/core'], false),
  layer('src/kit', ['src/core', 'src/go'], false),
  layer('src/hashes', ['src/core']),
  layer('src/files', ['src/kit'], false),
  layer('src/state', [...BASE, 'src/files'], false),
  layer('src/control', [...BASE, 'src/files'], false),
  layer('src/http', [...BASE]),
  layer('src/regexp', []),
  layer('src/s3-protocol', [...BASE]),
  layer('src/filter', [...BASE, 'src/regexp'], false),
  layer('src/listing', [...BASE], false),
  layer('src/size-tree', [...BASE], false),
  layer('src/mod-time-index', [...BASE, 'src/state'], false),
  layer('src/hash-cache', [...BASE, 'src/state'], false),
  layer('src/failed-proofs', [...BASE, 'src/state'], false),
  layer('src/journal', [...BASE, 'src/files', 'src/state'], false),
  layer('src/screen', [...BASE]),
  layer('src/progress', [...BASE, 'src/screen']),
  layer('src/engine', [...BASE, 'src/filter', 'src/regexp']),
  layer('src/ranges', [...BASE, 'src/engine'], false),
  layer('src/queue', [...BASE, 'src/files', 'src/http', 'src/ranges', 'src/engine']),
  layer('src/two-way', [...BASE, 'src/filter', 'src/engine']),
  layer('src/config', [...BASE, 'src/files', 'src/state', 'src/backends/backend.ts']),
  layer('src/running', [
    ...BASE,
    'src/config',
    'src/control',
    'src/files',
    'src/progress',
    'src/state',
  ]),
  layer('src/auth', [...BASE, 'src/config', 'src/files', 'src/http', 'src/state']),
  layer('src/serve', [
    ...BASE,
    'src/files',
    'src/state',
    'src/listing',
    'src/s3-protocol',
    'src/engine',
  ]),
  layer('src/browser', [...BASE, 'src/screen', 'src/size-tree', 'src/engine']),
  layer('src/config-wizard', [
    ...BASE,
    'src/screen',
    'src/config',
    'src/auth',
    'src/backends/backend.ts',
  ]),
  layer('src/review', [...BASE, 'src/screen', 'src/engine']),
  layer('src/home', [...BASE, 'src/screen', 'src/config', 'src/state']),
  {
    ...layer('src/backends', [
      ...BASE,
      'src/http',
      'src/auth',
      'src/s3-protocol',
      'src/backends/backend.ts',
    ]),
    apart: true,
  },
  layer('src/backends/index.ts', ['src/backends']),
  layer('src/vfs', [...BASE, 'src/files', 'src/filter', 'src/state']),
  layer('src/fuse', [...BASE, 'src/vfs']),
  layer('src/webhook', [
    ...BASE,
    'src/files',
    'src/config',
    'src/control',
    'src/regexp',
    'src/running',
    'src/screen',
    'src/state',
  ]),
  layer('src/installer-menu', [...BASE, 'src/screen']),
];

/**
 * The floors of `src/app`, from the ground up: a folder imports what is on lower floors, and none beside it. Two
 * names with a `+` are one: they know each other.
 */
const APP_FLOORS: readonly (readonly string[])[] = [
  ['flags', 'output', 'version.ts'],
  ['log'],
  ['process', 'filter-from-flags.ts'],
  ['command.ts+command-line'],
  ['help', 'history', 'hooks', 'interactive', 'unit'],
  ['docs', 'jobs', 'remotes'],
  ['invocation.ts', 'listing', 'progress'],
  ['guards', 'running'],
  ['configure', 'ranges', 'scrub'],
  ['home', 'queue'],
  ['transfer'],
  ['bisync', 'download', 'undo', 'versions', 'why'],
  ['after-run', 'review', 'trash'],
  ['run-command.ts'],
  ['run-program.ts'],
];

const APP: readonly Layer[] = APP_FLOORS.flatMap((floor, height) => {
  const namesOf = (member: string) => member.split('+').map((name) => `src/app/${name}`);
  const lower = [
    ...BELOW_APP.map(({ folder }) => folder),
    ...APP_FLOORS.slice(0, height).flat().flatMap(namesOf),
  ];
  return floor
    .map(namesOf)
    .flatMap((names) => names.map((name) => layer(name, [...lower, ...names])));
});

/** The layers, from the centre outwards. Arrows point towards `src/core`. */
export const LAYERS: readonly Layer[] = [
  ...BELOW_APP,
  ...APP,
  layer('src/mount', [
    ...BASE,
    'src/app',
    'src/backends/index.ts',
    'src/config',
    'src/control',
    'src/files',
    'src/filter',
    'src/fuse',
    'src/listing',
    'src/engine',
    'src/vfs',
  ]),
  layer('src/ncdu', [
    ...BASE,
    'src/app',
    'src/browser',
    'src/config',
    'src/files',
    'src/filter',
    'src/listing',
    'src/review',
    'src/state',
    'src/screen',
    'src/size-tree',
    'src/engine',
  ]),
  layer('src/doctor', [
    ...BASE,
    'src/app',
    'src/config',
    'src/config-wizard',
    'src/files',
    'src/fuse',
    'src/http',
    'src/mount',
    'src/queue',
    'src/running',
    'src/state',
    'src/screen',
    'src/engine',
  ]),
  layer('src/completion', [...BASE, 'src/app', 'src/backends/index.ts', 'src/config', 'src/state']),
  layer('src/main.ts', ['src', 'commands/index.ts', 'commands/version/version.ts']),
  layer('commands', ['src', SCREENS_DOOR]),
  layer('components', ['src']),
  layer('installer', ['src', SCREENS_DOOR]),
];

/** Folders whose files may import everything: nothing that ships imports them. */
export const FREE_FOLDERS: readonly string[] = ['test', 'bench', 'scripts'];
