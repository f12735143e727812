import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { COMPILED_CACHE } from './compiled-cache.ts';

const run = promisify(execFile);

/** A program in a real terminal that tmux draws. */
export interface TmuxTerminal {
  /** Sends keys by tmux's names (`Enter`, `Down`, `C-c`) or characters. */
  keys(...names: string[]): Promise<void>;
  /** Sends the text as it is, without names of keys in it. */
  type(text: string): Promise<void>;
  /** Pastes as a terminal does: between the marks of bracketed paste where the program asked for them. */
  paste(text: string): Promise<void>;
  /** What the terminal shows now, its lines without blanks at their ends. With `colours`: escape sequences stay. */
  screen(colours?: boolean): Promise<string>;
  /** Waits until the screen holds all of these; gives the screen. Rejects with what it shows after a minute. */
  waitFor(texts: string | RegExp | readonly (string | RegExp)[]): Promise<string>;
  /** Waits, as long, until the screen no longer holds the text. */
  waitUntilGone(text: string | RegExp): Promise<string>;
  resize(columns: number, rows: number): Promise<void>;
  /** Whether the program in it has asked for the mouse. */
  hasMouse(): Promise<boolean>;
  /** The process that runs in the terminal: the shell that started the program. */
  pid(): Promise<number>;
  close(): Promise<void>;
}

/** What the terminal is like. */
export interface TmuxOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const POLL_MS = 25;

/** How long a screen is waited for, in milliseconds. */
const LIMIT_MS = 60_000;

/** A screen that was waited for counts as read after this time, in milliseconds: only then these keys count. */
const READ_MS = 500;
const ALONE: ReadonlySet<string> = new Set(['y', 'a', 't', '!']);

/**
 * Starts a shell in a terminal of its own. It has a prompt of `$ ` and nothing of the user's settings.
 */
export async function startTmux(options: TmuxOptions = {}): Promise<TmuxTerminal> {
  const { columns = 80, rows = 24, env = {}, cwd = '/' } = options;
  const socket = `syncer-test-${randomUUID()}`;
  const tmux = async (...args: string[]) => {
    const { stdout } = await run('tmux', ['-L', socket, '-f', '/dev/null', ...args]);
    return stdout;
  };
  const settings = {
    ...{ LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', PS1: '$ ', HISTFILE: '/dev/null' },
    ...COMPILED_CACHE,
    ...env,
  };
  const assignments = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const clean = ['env', '-u', 'NO_COLOR', '-u', 'SYNCER_PLAIN', '-u', 'CI', ...assignments];
  const shell = [...clean, 'bash', '--norc', '--noprofile', '-i'];
  const size = ['-x', String(columns), '-y', String(rows)];
  await tmux('-u', 'new-session', '-d', ...size, '-c', cwd, ...shell);
  await tmux('set-option', '-g', 'status', 'off');
  await tmux('set-option', '-g', 'window-size', 'manual');
  await tmux('set-option', '-s', 'escape-time', '0');

  const screen = async (colours = false) => {
    // With colours, blanks at the end of a line may be drawn.
    if (colours) return (await tmux('capture-pane', '-p', '-e', '-N')).trimEnd();
    return (await tmux('capture-pane', '-p'))
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd();
  };
  /** The last key, if it counts only once the screen was read. */
  let alone: string | undefined;
  const send = async (name: string, ...args: string[]) => {
    alone = ALONE.has(name) ? name : undefined;
    if (alone !== undefined) await setTimeout(READ_MS);
    await tmux('send-keys', ...args);
  };
  /** Whether the key came too soon: a process that was busy cannot know whether its screen had been read. */
  const isEarly = (text: string) =>
    alone !== undefined && text.includes(`Press ${alone} again: it`);
  const sendAgain = async () => {
    await setTimeout(READ_MS);
    // It may have been taken meanwhile, and would answer the next question.
    if (isEarly(await screen())) await tmux('send-keys', alone ?? '');
  };
  const until = async (holds: (text: string) => boolean, what: string) => {
    const end = performance.now() + LIMIT_MS;
    for (;;) {
      const text = await screen();
      if (holds(text)) return text;
      if (performance.now() > end)
        throw new Error(`waited for ${what}; the terminal shows\n${text}`);
      if (isEarly(text)) await sendAgain();
      await setTimeout(POLL_MS);
    }
  };
  const terminal: TmuxTerminal = {
    keys: async (...names) => send(names[0] ?? '', ...names),
    type: async (text) => send(text, '-l', text),
    async paste(text) {
      await tmux('set-buffer', '--', text);
      await tmux('paste-buffer', '-p', '-r');
    },
    screen,
    waitFor(texts) {
      const wanted = [texts].flat() as readonly (string | RegExp)[];
      return until((text) => wanted.every((one) => holds(text, one)), wanted.join(', '));
    },
    waitUntilGone: (text) => until((shown) => !holds(shown, text), `the end of ${text}`),
    resize: async (x, y) => void (await tmux('resize-window', '-x', String(x), '-y', String(y))),
    hasMouse: async () =>
      (await tmux('display-message', '-p', '#{mouse_standard_flag}#{mouse_sgr_flag}')).trim() ===
      '11',
    pid: async () => Number(await tmux('display-message', '-p', '#{pane_pid}')),
    async close() {
      await tmux('kill-server').catch(() => undefined);
    },
  };
  await terminal.waitFor('$');
  return terminal;
}

function holds(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}
