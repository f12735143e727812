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

/** The layers, from the centre outwards. Arrows point towards `src/core`. */
export const LAYERS: readonly Layer[] = [
  layer('src/core', [], false),
  layer('src/files', [], false),
  layer('src/http', ['src/core'], false),
  layer('src/regexp', []),
  layer('src/s3-protocol', ['src/core']),
  layer('src/filter', ['src/core', 'src/regexp'], false),
  layer('src/listing', ['src/core'], false),
  layer('src/size-tree', ['src/core'], false),
  layer('src/mod-time-index', ['src/core', 'src/files'], false),
  layer('src/failed-proofs', ['src/core', 'src/files'], false),
  layer('src/screen', ['src/core']),
  layer('src/progress', ['src/core', 'src/screen']),
  layer('src/sync', ['src/core', 'src/filter']),
  layer('src/config', ['src/core', 'src/files', 'src/backends/backend.ts']),
  layer('src/auth', ['src/core', 'src/config', 'src/http']),
  layer('src/serve', ['src/core', 'src/files', 'src/s3-protocol']),
  layer('src/browser', ['src/core', 'src/screen', 'src/size-tree', 'src/sync']),
  layer('src/config-wizard', [
    'src/core',
    'src/screen',
    'src/config',
    'src/auth',
    'src/backends/backend.ts',
  ]),
  layer('src/review', ['src/core', 'src/screen', 'src/sync']),
  layer('src/home', ['src/core', 'src/screen', 'src/config']),
  {
    ...layer('src/backends', [
      'src/core',
      'src/http',
      'src/auth',
      'src/s3-protocol',
      'src/backends/backend.ts',
    ]),
    apart: true,
  },
  layer('src/backends/index.ts', ['src/backends']),
  layer('src/vfs', ['src/core', 'src/files', 'src/filter']),
  layer('src/fuse', ['src/core', 'src/vfs']),
  layer('src/hooks', ['src/core', 'src/files', 'src/config', 'src/regexp', 'src/screen']),
  layer('src/installer-menu', ['src/core', 'src/screen']),
  layer('src/app', ['src']),
  layer('src/webhook.ts', ['src/hooks']),
  layer('src/main.ts', ['src', 'commands/index.ts', 'commands/version.ts']),
  layer('commands', ['src', SCREENS_DOOR]),
  layer('components', ['src']),
  layer('installer', ['src', SCREENS_DOOR]),
];

/** Folders whose files may import everything: nothing that ships imports them. */
export const FREE_FOLDERS: readonly string[] = ['test', 'bench', 'scripts'];
