import type { MouseAct } from '../../src/screen/key.ts';
import { MOUSE_OFF, MOUSE_ON, MouseReports } from '../../src/screen/mouse.ts';
import { withRead } from './whole-pastes.ts';

/** The mouse of a terminal. */
export interface Mouse {
  /** The terminal without the reports of the mouse. */
  readonly stdin: NodeJS.ReadStream;
  /** Takes what the mouse does; the last one counts. */
  listen(take: (act: MouseAct) => void): void;
  /** The terminal begins to report what the mouse does, or ends it. */
  report(isOn: boolean): void;
}

/** Puts the mouse before the keys of a terminal. */
export function openMouse(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream): Mouse {
  const reports = new MouseReports();
  const queue: (string | MouseAct)[] = [];
  let take: (act: MouseAct) => void = () => {};
  let timer: NodeJS.Timeout | undefined;
  const later = () => {
    const { waitMs } = reports;
    if (waitMs === undefined) return;
    timer = setTimeout(() => {
      queue.push(reports.flush());
      stdin.emit('readable');
    }, waitMs);
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
      clearTimeout(timer);
      if (chunk === null) {
        later();
        return null;
      }
      queue.push(...reports.push(String(chunk)));
    }
  };
  return {
    stdin: withRead(stdin, read),
    listen(next) {
      take = next;
    },
    report: (isOn) => void stdout.write(isOn ? MOUSE_ON : MOUSE_OFF),
  };
}
