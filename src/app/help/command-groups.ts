import type { FlagGroup } from '../flags/flag-definition.ts';

/** Commands under one heading of the help, and the flags that they heed. */
interface CommandGroup {
  readonly title: string;
  readonly commands: readonly string[];
  /** Flags shown in the help of each command, by name. */
  readonly flags: readonly string[];
  /** Groups of flags that the help of each command refers to. */
  readonly groups: readonly FlagGroup[];
}

const CONNECTED = ['logging', 'network', 'config'] as const;
const CHANGING = ['dry-run', 'interactive', 'verbose', 'help'];
const READING = ['verbose', 'help'];

/** All commands, in the order of the help. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    title: 'Transfer',
    commands: [
      'copy',
      'sync',
      'move',
      'bisync',
      'copyto',
      'moveto',
      'convmv',
      'apply',
      'run',
      'job',
      'guard',
    ],
    flags: ['dry-run', 'interactive', 'progress', 'verbose', 'help'],
    groups: ['copy', 'sync', 'filter', 'logging', 'network', 'speed', 'local', 'config'],
  },
  {
    title: 'Compare',
    commands: ['check', 'checksum', 'scrub', 'why'],
    flags: ['progress', 'verbose', 'help'],
    groups: ['copy', 'filter', 'logging', 'network', 'speed', 'local', 'config'],
  },
  {
    title: 'List',
    commands: ['ls', 'lsd', 'lsl', 'lsf', 'lsjson', 'tree', 'size', 'md5sum', 'sha1sum', 'hashsum'],
    flags: READING,
    groups: ['filter', 'listing', 'logging', 'network', 'speed', 'local', 'config'],
  },
  {
    title: 'Browse',
    commands: ['ncdu', 'home', 'demo'],
    flags: ['dry-run', 'help'],
    groups: ['filter', 'network', 'speed', 'config'],
  },
  {
    title: 'Read, write',
    commands: ['cat', 'rcat', 'copyurl', 'touch', 'link', 'settier', 'versions', 'uploads'],
    flags: CHANGING,
    groups: ['filter', ...CONNECTED],
  },
  {
    title: 'Delete',
    commands: ['delete', 'deletefile', 'purge', 'rmdir', 'rmdirs', 'dedupe', 'cleanup', 'undo'],
    flags: CHANGING,
    groups: ['filter', ...CONNECTED],
  },
  {
    title: 'Remotes',
    commands: ['config', 'listremotes', 'about', 'mkdir', 'authorize', 'backend', 'obscure'],
    flags: CHANGING,
    groups: CONNECTED,
  },
  {
    title: 'Serve, mount',
    commands: ['serve', 'mount', 'mounts', 'unmount', 'hooks', 'worker'],
    flags: READING,
    groups: CONNECTED,
  },
  {
    title: 'Runs',
    commands: ['ps', 'attach', 'pause', 'resume', 'stop', 'set', 'unlock', 'history', 'trash'],
    flags: ['help'],
    groups: [],
  },
  {
    title: 'Program',
    commands: ['doctor', 'completion', 'genautocomplete', 'gendocs', 'version', 'help'],
    flags: ['help'],
    groups: [],
  },
];

/** Commands with other flags than the rest of their group. */
const EXCEPTIONS: Readonly<Record<string, Partial<Pick<CommandGroup, 'flags' | 'groups'>>>> = {
  demo: { flags: ['help'], groups: [] },
  home: { flags: ['help'], groups: ['config'] },
  cat: { flags: READING },
  link: { flags: READING, groups: CONNECTED },
  rcat: { groups: ['copy', ...CONNECTED] },
  copyurl: {
    flags: ['dry-run', 'interactive', 'progress', 'verbose', 'help'],
    groups: CONNECTED,
  },
  deletefile: { groups: CONNECTED },
  purge: { groups: CONNECTED },
  rmdir: { groups: CONNECTED },
  listremotes: { flags: READING, groups: ['config'] },
  about: { flags: READING },
  authorize: { flags: READING },
  obscure: { flags: ['help'], groups: [] },
  guard: { flags: ['dry-run', 'verbose', 'help'], groups: CONNECTED },
  unlock: { flags: ['help'], groups: CONNECTED },
  history: { flags: ['help'], groups: [] },
  trash: { flags: CHANGING, groups: ['filter', ...CONNECTED] },
  doctor: { flags: CHANGING, groups: CONNECTED },
  mounts: { flags: ['help'], groups: [] },
  unmount: { flags: ['help'], groups: [] },
  hooks: { flags: ['help'], groups: [] },
  mount: { groups: ['filter', 'logging', 'network', 'config'] },
  serve: { groups: ['filter', 'logging', 'network', 'config'] },
};

/** The flags that the help of a command shows besides its own, and the groups it refers to. */
export function flagsToShow(name: string): Pick<CommandGroup, 'flags' | 'groups'> {
  const [top = ''] = name.split(' ');
  const group = COMMAND_GROUPS.find(({ commands }) => commands.includes(top));
  return { flags: READING, groups: CONNECTED, ...group, ...EXCEPTIONS[top] };
}
