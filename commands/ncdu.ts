import { openSizeBrowser } from '../components/open.ts';
import type { Command } from '../src/app/command.ts';

/** `syncer ncdu remote:path` */
export const ncduCommand: Command = {
  async run(invocation) {
    const { openBrowser } = await import('../src/app/browse/open-browse.ts');
    const browser = await openBrowser(invocation);
    if (browser === undefined) return;
    const { model, terminal } = browser;
    const showLog = invocation.holdLog();
    const showProgress = invocation.stepAside?.();
    try {
      await openSizeBrowser(model, terminal);
    } finally {
      showLog();
      showProgress?.();
      await model.close();
      for (const line of model.summary()) await invocation.out.write(`${line}\n`);
    }
  },
};
