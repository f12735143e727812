/** What the files of one directory may import, besides each other. */
export interface Layer {
  /** The directory, or a single file. The longest one that a file lies in is the file's layer. */
  readonly directory: string;
  /** Directories and files of the project. */
  readonly may: readonly string[];
  /** Packages from npm: none, or any but those of the screens. */
  readonly packages: boolean;
  /** Every directory directly below is a layer of its own: they do not know each other. */
  readonly apart?: boolean;
}

const layer = (directory: string, may: readonly string[], packages = true): Layer => ({
  directory,
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
  'src/names',
  'src/system',
];

/** What all backends are made of. */
const CLIENTS = ['src/backends/auth', 'src/backends/http', 'src/backends/s3-protocol'];

/** The layers that know neither a command line nor a run, from the centre outwards. */
const BELOW_SHELL: readonly Layer[] = [
  layer('src/core', [], false),
  layer('src/go', ['src/core']),
  layer('src/hashes', ['src/core']),
  layer('src/system', ['src/core']),
  layer('src/names', ['src/core', 'src/go', 'src/system'], false),
  layer('src/filter', BASE, false),
  layer('src/listing', BASE, false),
  layer('src/size-tree', BASE, false),
  layer('src/state', BASE, false),
  layer('src/terminal', BASE),
  layer('src/engine', [...BASE, 'src/filter']),
  { ...layer('src/caches', [...BASE, 'src/state'], false), apart: true },
  layer('src/backends/http', BASE),
  layer('src/backends/auth', [...BASE, 'src/backends/http']),
  layer('src/backends/s3-protocol', BASE),
  {
    ...layer('src/backends', [
      ...BASE,
      ...CLIENTS,
      'src/backends/backend.ts',
      'src/backends/option-reader.ts',
      'src/backends/resumed-uploads.ts',
    ]),
    apart: true,
  },
  layer('src/backends/index.ts', ['src/backends']),
  layer('src/config', [...BASE, 'src/backends/auth', 'src/backends/backend.ts', 'src/state']),
  layer('src/config/dialogue', [
    ...BASE,
    'src/backends/auth',
    'src/backends/backend.ts',
    'src/config',
  ]),
  layer('src/vfs', [...BASE, 'src/state']),
  layer('src/fuse', [...BASE, 'src/vfs']),
  layer('src/serve', [
    ...BASE,
    'src/backends/s3-protocol',
    'src/engine',
    'src/listing',
    'src/state',
  ]),
];

/** What the shell may import: all that knows no command line but servers, file systems and caches. */
const FOR_SHELL = [
  ...BASE,
  ...CLIENTS,
  'src/backends',
  'src/config',
  'src/engine',
  'src/filter',
  'src/listing',
  'src/state',
  'src/terminal',
];

/** The floors of `src/shell`, from the ground up: a directory imports what is on lower floors, and none beside it. */
const SHELL_FLOORS: readonly (readonly string[])[] = [
  ['flags', 'output', 'url-request.ts', 'version.ts'],
  ['job-file.ts', 'log', 'progress'],
  ['filter-from-flags.ts', 'process'],
  ['command-line'],
  ['help', 'interactive', 'unit'],
];

/** The floors of `src/run`, as those of `src/shell`. */
const RUN_FLOORS: readonly (readonly string[])[] = [
  ['journal'],
  ['history'],
  ['remotes', 'review'],
  ['invocation.ts', 'listing', 'progress'],
  ['guards', 'presence', 'reports'],
  ['home-entry.ts', 'ranges', 'run-command.ts'],
  ['queue', 'run-program.ts'],
  ['transfer'],
];

/** The floors of `src/webhook`, as those of `src/shell`. */
const WEBHOOK_FLOORS: readonly (readonly string[])[] = [
  ['flag-table.ts', 'http', 'payload/parse-body.ts'],
  ['field-table.ts'],
  ['hook.ts'],
  ['parameter'],
  ['log'],
  ['command', 'payload', 'rule'],
  ['file', 'run'],
  ['control', 'server'],
  ['report'],
  ['start'],
  ['main.ts'],
];

/** The layers of floors in a directory, which may also import `below`. */
function floorsOf(
  directory: string,
  floors: readonly (readonly string[])[],
  below: readonly string[],
): readonly Layer[] {
  return floors.flatMap((floor, height) => {
    const lower = floors.slice(0, height).flat();
    const may = [...below, ...lower.map((name) => `${directory}/${name}`)];
    return floor.map((name) => layer(`${directory}/${name}`, may));
  });
}

/** Which capability enters which others, each by its `use.ts`; without circles. */
export const CAPABILITY_USES: Readonly<Record<string, readonly string[]>> = {
  check: ['hashsum'],
  demo: ['home'],
  directories: ['delete'],
  doctor: ['config', 'mount'],
  home: ['complete', 'config', 'history', 'mount', 'ncdu'],
  ncdu: ['complete'],
  ps: ['mount'],
  trash: ['undo'],
};

const FOR_COMMANDS = ['src', SCREENS_DOOR];

/** The layers, from the centre outwards. Arrows point towards `src/core`. */
export const LAYERS: readonly Layer[] = [
  ...BELOW_SHELL,
  ...floorsOf('src/webhook', WEBHOOK_FLOORS, [...BASE, 'src/config', 'src/state', 'src/terminal']),
  ...floorsOf('src/shell', SHELL_FLOORS, FOR_SHELL),
  ...floorsOf('src/run', RUN_FLOORS, [...FOR_SHELL, 'src/caches', 'src/shell']),
  layer('src/main.ts', [
    'src',
    'commands/index.ts',
    'commands/mount/called-as.ts',
    'commands/version/version.ts',
  ]),
  { ...layer('commands', FOR_COMMANDS), apart: true },
  ...Object.entries(CAPABILITY_USES).map(([name, used]) =>
    layer(`commands/${name}`, [
      ...FOR_COMMANDS,
      ...used.map((other) => `commands/${other}/use.ts`),
    ]),
  ),
  layer('commands/index.ts', ['commands', 'src']),
  layer('components/ui', ['src']),
  { ...layer('components', ['src', 'components/shared', 'components/ui']), apart: true },
  layer(SCREENS_DOOR, ['components', 'src']),
  layer('installer', [
    ...BASE,
    SCREENS_DOOR,
    'src/backends/http',
    'src/shell/command-line',
    'src/shell/interactive',
    'src/shell/process',
    'src/shell/url-request.ts',
    'src/shell/version.ts',
    'src/terminal',
    'src/webhook',
  ]),
];

/** Directories whose files may import everything: nothing that ships imports them. */
export const FREE_DIRECTORIES: readonly string[] = ['test', 'bench', 'scripts'];
