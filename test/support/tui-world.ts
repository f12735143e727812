import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { openTmux, type TmuxOptions, type TmuxTerminal } from './tmux-terminal.ts';

const program = resolve(import.meta.dirname, '../../dist/syncer.js');

/** A folder in which the built program runs in a terminal. */
export interface TuiWorld {
  readonly folder: string;
  /** Writes files: content, or how many bytes. */
  write(files: Readonly<Record<string, string | number>>): Promise<void>;
  /** Starts `syncer` with these words in a terminal; `exit=<number>` is shown when it has ended. */
  start(words: string, options?: TmuxOptions): Promise<TmuxTerminal>;
  remove(): Promise<void>;
}

/** Makes an empty folder, without any configuration of the user's. */
export async function tuiWorld(name: string): Promise<TuiWorld> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  await writeFile(join(folder, 'syncer.conf'), '');
  return {
    folder,
    async write(files) {
      for (const [path, content] of Object.entries(files)) {
        const target = join(folder, path);
        await mkdir(dirname(target), { recursive: true });
        await writeFile(target, typeof content === 'number' ? Buffer.alloc(content, 97) : content);
      }
    },
    async start(words, options = {}) {
      const env = {
        HOME: folder,
        XDG_CONFIG_HOME: '',
        XDG_STATE_HOME: '',
        XDG_CACHE_HOME: '',
        XDG_RUNTIME_DIR: folder,
        SYNCER_CONFIG: join(folder, 'syncer.conf'),
        ...options.env,
      };
      const terminal = await openTmux({ cwd: folder, ...options, env });
      await terminal.type(`clear; ${process.execPath} ${program} ${words}; echo exit=$?`);
      await terminal.keys('Enter');
      return terminal;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** What the terminal does with what is typed: a shell that can be used has `icanon` and `echo`. */
export async function terminalModes(terminal: TmuxTerminal): Promise<string> {
  await terminal.type('clear; stty -a | grep -oE -- "-?(icanon|echo|isig|opost) "; echo told');
  await terminal.keys('Enter');
  const text = await terminal.waitFor(/^told$/m);
  return text
    .split('\n')
    .filter((line) => /^-?(icanon|echo|isig|opost)$/.test(line))
    .sort()
    .join(' ');
}

/** Sends a signal to the programs that the shell of a terminal runs. */
export function killChildrenOf(shell: number, signal: NodeJS.Signals): void {
  for (const pid of childrenOf(shell)) process.kill(pid, signal);
}

/** The programs that the shell of a terminal runs. */
export function childrenOf(shell: number): readonly number[] {
  const children = readFileSync(`/proc/${shell}/task/${shell}/children`, 'latin1');
  return children.trim().split(' ').map(Number);
}
