import type { Clock } from '../../core/context.ts';
import type { SyncerError } from '../../core/errors.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { harmless } from '../../core/shown-text.ts';
import { createRunControl } from '../../engine/run-control.ts';
import { type Flags, readsInput } from '../../shell/flags/flag-table.ts';
import { themedLook } from '../../shell/interactive/screen-terminal.ts';
import { usesColour } from '../../shell/log/uses-colour.ts';
import { jobControl } from '../../shell/process/job-control.ts';
import type { ProgramIo } from '../../shell/process/program-io.ts';
import type { KeyInput } from '../../shell/process/raw-keys.ts';
import { lastLines } from '../../shell/progress/last-lines.ts';
import { progressLines, timeLeft } from '../../shell/progress/progress-lines.ts';
import { elapsedMs, type ProgressState } from '../../shell/progress/progress-state.ts';
import { fitLine } from '../../terminal/cells.ts';
import { type Line, span } from '../../terminal/span.ts';
import { terminalAbilities } from '../../terminal/terminal-abilities.ts';
import { ProgressView } from './progress-view.ts';
import { type StatisticsSettings, statisticsLines } from './run-statistics.ts';

/**
 * Shows the progress of a run on standard output, which is a terminal, by the flags. Returns the view, and the effect of
 * its keys on the run.
 *
 * @param again as `RunEnd.again`
 */
export function openProgressView(
  io: ProgramIo,
  flags: Flags,
  state: ProgressState,
  clock: Clock,
  settings: StatisticsSettings,
  runId: string,
  again?: readonly string[],
) {
  const { stdout, env } = io;
  const job = jobControl(process);
  const control = createRunControl(() => job.interrupt());
  const input: KeyInput = io.stdin;
  let isGone = false;
  stdout.on('error', () => {
    isGone = true;
  });
  const lines = () => statisticsLines(state, clock, settings).map(plainLine);
  const look = themedLook(env, flags, usesColour(flags.color, env, true));
  const fitted = (line: Line) => fitLine(line, stdout.columns || 80, look.glyphs.ellipsis);
  const abilities = flags['progress-terminal-notify'] ? terminalAbilities(env) : undefined;
  const lastLine = (thrown: SyncerError | undefined) =>
    lastLines(
      state,
      clock.monotonic(),
      { thrown, isDryRun: flags['dry-run'], unit: settings.style.unit, runId, again },
      look.glyphs,
    );
  const hasKeys = input.isTTY === true && !readsInput(flags);
  const view = new ProgressView({
    terminal: {
      write: (text) => {
        if (!isGone) stdout.write(nameToBytes(text), () => {});
      },
      size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    },
    state,
    clock,
    look,
    unit: settings.style.unit,
    job,
    control,
    ...(input.isTTY === true ? { input } : {}),
    hasKeys,
    isFixed: flags.queue !== undefined && flags['no-work'],
    ...(flags['progress-terminal-title']
      ? { title: () => `ETA: ${timeLeft(state, clock.monotonic())}` }
      : {}),
    ...(settings.oneLine ? { instead: () => lines().map(fitted) } : {}),
    summary: (thrown) => [
      // What stays on the screen: rclone's figures, without running transfers.
      ...(settings.oneLine
        ? lines()
        : progressLines({ ...state, active: new Map() }, clock.monotonic(), settings.style).map(
            plainLine,
          )),
      ...lastLine(thrown),
    ],
    hasTab: abilities?.progress === true,
    notify: (thrown) => {
      const isLong = elapsedMs(state, clock.monotonic()) >= 30_000;
      const [line = []] = abilities?.notifications === true && isLong ? lastLine(thrown) : [];
      const text = line.map((part) => part.text).join('');
      return text === '' ? '' : `\x1b]777;notify;syncer;${harmless(text)}\x07`;
    },
  });
  return { view, control };
}

/** A line with its tab as blanks, as a terminal would show it. */
export function plainLine(text: string): Line {
  const untabbed = text.replace(/^([^\t]*)\t/, (_, front: string) =>
    front.padEnd((Math.floor(front.length / 8) + 1) * 8),
  );
  return [span(harmless(untabbed))];
}
