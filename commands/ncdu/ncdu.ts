import { openSizeBrowser } from '../../components/open.ts';
import type { SyncerError } from '../../src/core/errors.ts';
import type { BrowserNeeds } from './open-browse.ts';

export async function ncduCommand(invocation: BrowserNeeds): Promise<void> {
  const { html, 'ncdu-output': json } = invocation.flags;
  if (html !== undefined || json !== undefined)
    return (await import('./export-scan.ts')).exportScan(invocation);
  const { openBrowser } = await import('./open-browse.ts');
  const browser = await openBrowser(invocation, async (typed) => {
    const { completeWords } = await import('../complete/use.ts');
    return (await completeWords(['ncdu'], typed, invocation)).map(({ text }) => text);
  });
  const { model, terminal, finish } = browser;
  const showLog = invocation.holdLog();
  const showProgress = invocation.stepAside?.();
  let undone: SyncerError | undefined;
  let isHasty = true;
  try {
    await openSizeBrowser(model, terminal);
    isHasty = false;
  } finally {
    showProgress?.();
    showLog();
    undone = await model.close();
    for (const line of model.summary()) await invocation.out.write(`${line}\n`);
    await finish(isHasty);
  }
  if (undone !== undefined) throw undone;
}
