import { linkedAbort } from '../../src/core/context.ts';
import { toSyncerError } from '../../src/core/errors.ts';
import type { Op } from '../../src/core/remote.ts';
import { harmless } from '../../src/core/shown-text.ts';
import { row } from '../../src/terminal/key-table.ts';
import { span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import { textPage } from './text-page.tsx';

/** How often the sign of life turns, in milliseconds. */
const TICK_MS = 100;

/** Shows that something is under way, which Esc stops; then takes that page away and goes on, or says what failed. */
export function whileWaiting<T>(
  browser: Browser,
  what: string,
  awaited: { work(op: Op): Promise<T>; onResult(result: T): void; status?(): string },
): void {
  const ending = linkedAbort(browser.closing);
  const startedMs = browser.nowMs();
  const ticking = setInterval(() => browser.changed(), TICK_MS).unref();
  let isOpen = true;
  const leave = () => {
    clearInterval(ticking);
    if (isOpen) browser.back();
    isOpen = false;
  };
  const stop = () => {
    leave();
    ending.abort(new Error('stopped'));
  };
  browser.open(
    textPage(browser, {
      subject: 'please wait',
      text: (_, { glyphs: { spinner } }) => {
        const ticks = Math.floor((browser.nowMs() - startedMs) / TICK_MS);
        const turn = span(`${spinner[ticks % spinner.length] ?? ''} `, 'accent');
        return [[turn, span(what)], [span(`  ${awaited.status?.() ?? ''}`, 'dim')]];
      },
      // Enter may still be held down from the field.
      only: [row('Esc', 'stop', '', stop)],
      isDialog: true,
    }),
  );
  awaited.work({ signal: ending.signal }).then(
    (result) => {
      if (!isOpen) return;
      leave();
      awaited.onResult(result);
    },
    (thrown) => {
      leave();
      if (!ending.signal.aborted) browser.tell(harmless(toSyncerError(thrown).message), 'bad');
    },
  );
}
