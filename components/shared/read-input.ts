import type { MouseAct } from '../../src/terminal/key.ts';
import { MOUSE_OFF, MOUSE_ON } from '../../src/terminal/mouse.ts';
import { afterInput, TerminalInput } from '../../src/terminal/terminal-input.ts';

/** The mouse of a terminal. */
export interface Mouse {
  /** Takes what the mouse does; the last one counts. */
  listen(take: (act: MouseAct) => void): void;
  /** The terminal begins to report what the mouse does, or ends it. */
  report(isOn: boolean): void;
}

/** The keys and the mouse of a terminal, told apart. */
export interface Input {
  /** The terminal with whole keys and pastes, and nothing else. */
  readonly stdin: NodeJS.ReadStream;
  readonly mouse: Mouse;
}

/** Puts `TerminalInput` before the keys of a terminal: Ink would take answers of the terminal for keys. */
export function readInput(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  escapeMs: number,
): Input {
  const input = new TerminalInput(escapeMs, () => performance.now());
  const queue: (string | MouseAct)[] = [];
  let take: (act: MouseAct) => void = () => {};
  let stop = () => {};
  const later = () => {
    stop = afterInput(input.waitMs, () => {
      queue.push(input.flush());
      stdin.emit('readable');
    });
  };
  const read = (): string | null => {
    for (;;) {
      const part = queue.shift();
      if (typeof part === 'string') return part;
      if (part !== undefined) {
        take(part);
        continue;
      }
      const chunk: string | Buffer | null = stdin.read();
      stop();
      if (chunk === null) {
        later();
        return null;
      }
      queue.push(...input.push(chunk));
    }
  };
  return {
    stdin: withRead(stdin, read),
    mouse: {
      listen(next) {
        take = next;
      },
      report: (isOn) => void stdout.write(isOn ? MOUSE_ON : MOUSE_OFF),
    },
  };
}

/** A terminal whose input is read by `read`, which also decodes it. */
function withRead(stdin: NodeJS.ReadStream, read: () => string | null): NodeJS.ReadStream {
  return new Proxy(stdin, {
    get(target, name, proxy) {
      if (name === 'read') return read;
      if (name === 'setEncoding') return () => proxy;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
