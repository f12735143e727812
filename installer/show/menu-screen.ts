import {
  loadInstallerMenu,
  type MenuDeed,
  type MenuEnd,
  type MenuNews,
  type MenuPlan,
  type MenuWork,
  openInstallerMenu,
} from '../../components/open.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { harmlessLine } from '../../src/core/shown-text.ts';
import { themedScreen } from '../../src/shell/interactive/screen-terminal.ts';
import { escapeWait } from '../../src/terminal/terminal-input.ts';
import { NOT_VERIFIED } from '../apply/apply-steps.ts';
import type { JobEvent } from '../apply/job.ts';
import { applyPlan, type InstallerIo, prepare, type ReadyPlan } from '../plan/prepare.ts';
import type { InstallerOptions } from '../read-options.ts';
import { progressText } from './text-view.ts';

/** The menu as a screen, and what is chosen in it; resolves to the exit code. */
export async function runMenuScreen(
  options: InstallerOptions,
  isDryRun: boolean,
  io: InstallerIo,
  hasMouse = true,
): Promise<number> {
  const MenuModel = await loadInstallerMenu();
  const work = new InstallerWork(options, isDryRun, io);
  const model = new MenuModel(work);
  io.signal.addEventListener('abort', () => {
    model.leave(toSyncerError(io.signal.reason).exit);
  });
  const { stdin, stdout } = process;
  // Its own signal, which nothing aborts: the screen stays until all is undone.
  const { signal } = new AbortController();
  try {
    const { look: themed, mouse } = themedScreen(io.env);
    const escapeMs = escapeWait(io.env);
    const terminal = { stdin, stdout, look: themed, mouse: mouse && hasMouse, escapeMs, signal };
    const end = await openInstallerMenu(model, terminal);
    const output = end.code === 0 ? io.stdout : io.stderr;
    for (const line of end.lines) output.write(`${harmlessLine(line)}\n`);
    return end.code;
  } finally {
    // Where the terminal has gone, what was begun is undone without it.
    await work.end(new SyncerError('terminated', 'the terminal was closed'));
  }
}

/** What the menu looks into and does: the plan that was shown is the one that is carried out. */
export class InstallerWork implements MenuWork {
  readonly #options: InstallerOptions;
  readonly #isDryRun: boolean;
  readonly #io: InstallerIo;
  readonly #interruption = new AbortController();
  #shown: ReadyPlan | undefined;
  #job: Promise<MenuEnd> | undefined;

  constructor(options: InstallerOptions, isDryRun: boolean, io: InstallerIo) {
    this.#options = options;
    this.#isDryRun = isDryRun;
    this.#io = io;
  }

  look(deed: MenuDeed): Promise<MenuPlan | MenuEnd> {
    return orEnd(async (): Promise<MenuPlan | MenuEnd> => {
      const prepared = await prepare(deed, this.#options, this.#io);
      if (prepared.outcome !== 'ready') return prepared;
      const { title, plan } = prepared;
      const steps = plan.steps.map(({ text }) => text);
      this.#shown = prepared;
      if (!this.#isDryRun) return { title, steps, notes: plan.notes };
      const lines = [...plan.notes, ...steps, 'Nothing was changed: this was a dry run.'];
      return { code: 0, lines };
    });
  }

  begin(deed: MenuDeed, tell: (news: MenuNews) => void): Promise<MenuEnd> {
    const { signal } = this.#interruption;
    this.#job = orEnd(async () => {
      const shown = this.#shown;
      if (shown?.deed !== deed) throw new Error('no plan was shown');
      return carryOut(shown, tell, { ...this.#io, signal });
    });
    return this.#job;
  }

  interrupt(): void {
    const byKey = new SyncerError('interrupted', 'interrupted by Ctrl-C');
    this.#interruption.abort(this.#io.signal.aborted ? this.#io.signal.reason : byKey);
  }

  /** Interrupts what was begun, and waits until it is undone. */
  async end(why: SyncerError): Promise<void> {
    this.#interruption.abort(why);
    await this.#job;
  }
}

async function orEnd<T>(work: () => Promise<T>): Promise<T | MenuEnd> {
  try {
    return await work();
  } catch (thrown) {
    const { exit, message } = toSyncerError(thrown);
    return { code: exit, lines: [`webhook-installer: ${message}`] };
  }
}

async function carryOut(
  shown: ReadyPlan,
  tell: (news: MenuNews) => void,
  io: InstallerIo,
): Promise<MenuEnd> {
  const { title, plan, closing } = shown;
  let index = -1;
  const tellStep = (change: Extract<MenuNews, { kind: 'step' }>['change']) =>
    tell({ kind: 'step', index, change });
  const emit = (event: JobEvent) => {
    switch (event.kind) {
      case 'step-begun':
        if (index < 0) tell({ kind: 'plan', title, steps: plan.steps.map(({ text }) => text) });
        index++;
        return tellStep({ state: 'running' });
      case 'progress':
        return tellStep({ note: progressText(event.done, event.total) });
      case 'step-done':
        return tellStep({
          state: event.result.startsWith(NOT_VERIFIED) ? 'warned' : 'done',
          note: event.result,
        });
      case 'step-failed':
        return tellStep({ state: 'failed' });
      case 'undone':
        return tell({ kind: 'undone', line: event.text });
      case 'undo-begun':
        return tell({ kind: 'undone', line: 'Undoing what was done:' });
    }
  };
  await applyPlan(shown, io, emit, true);
  return { code: 0, lines: [...plan.notes, ...closing] };
}
