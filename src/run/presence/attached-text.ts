import { nameToBytes } from '../../core/name-bytes.ts';
import type { Invocation } from '../../shell/command-line/command.ts';
import { formatTextRecord } from '../../shell/log/format-record.ts';
import { logPrefix, readLogFormat } from '../../shell/log/log-layout.ts';

/** Lines of an attached run as its log has them, with the time of this process. */
export function attachedText({
  flags,
  context,
}: Pick<Invocation, 'flags' | 'context'>): (
  line: Omit<Parameters<typeof formatTextRecord>[0], 'timeMs'>,
) => string {
  const format = readLogFormat(flags['log-format']);
  const prefix = logPrefix({ format, systemd: false, pid: process.pid });
  return (line) => formatTextRecord({ ...line, timeMs: context.clock.now() }, [], prefix);
}

/** Writes lines for pipes, one after the other; `written` resolves when all are. */
export function plainLines({ out }: Pick<Invocation, 'out'>) {
  let last: Promise<unknown> = Promise.resolve();
  return {
    write(text: string): void {
      last = last.then(() => out.write(nameToBytes(text)));
    },
    async written(): Promise<void> {
      await last;
    },
  };
}
