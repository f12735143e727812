import { isAbsolute } from 'node:path';
import { parseRemoteSpec } from '../../config/remote-spec.ts';
import { SyncerError } from '../../core/errors.ts';
import type { FlagRows } from '../../core/flags.ts';
import type { Command, Invocation } from '../../shell/command-line/command.ts';
import { logText } from '../../shell/log/log-text.ts';
import { shownWords } from '../../shell/log/shown-words.ts';
import { absoluteSpec } from '../../shell/unit/unit-words.ts';
import { shellLine } from '../../system/shell-words.ts';
import {
  applyReview,
  asideOfRun,
  isOnTerminal,
  planText,
  type Reviewable,
  showPlan,
} from './run-review.ts';
import type { SavedPlan } from './saved-plan.ts';
import { readPlan } from './saved-plan-file.ts';

/** `--apply`: makes the changes of a saved plan; with `--review` only prints it, or shows it to choose of them. */
export async function runSavedPlan<Own extends FlagRows>(
  invocation: Invocation<Own>,
  reviewable: Reviewable,
  run: Command<Own>,
): Promise<void> {
  const { flags, out } = invocation;
  const saved = await readPlan(flags.apply ?? '');
  refuseOther(saved, reviewable.title, invocation.args);
  const command = shellLine(shownWords(saved.words));
  if (flags.review || flags['dry-run']) {
    invocation.context.emit(logText('notice', `Command of the plan: ${command}`));
  }
  if (!flags.review) return applyReview(invocation, saved, run);
  const comeBack = asideOfRun(invocation);
  if (!isOnTerminal()) {
    const chosen = new Map([...saved.plan].filter(([, one]) => saved.chosen.has(one)));
    for (const line of planText(chosen)) await out.write(line);
    return;
  }
  const [{ plan }, keeps] = [saved, new Map(saved.keeps)];
  const shown = { plan, keeps, problems: [], subject: command.replace(/^syncer \S+ /, '') };
  const chosen = await showPlan(invocation, reviewable, shown);
  if (chosen === undefined || chosen === 'with-renames') return;
  comeBack();
  await applyReview(invocation, { plan, chosen, keeps }, run);
}

/** Throws `usage` if the plan is of another command, or of relative paths of another directory. */
function refuseOther({ words, dir }: SavedPlan, title: string, args: readonly string[]): void {
  const isSame = (word: string) =>
    words.includes(word) || words.includes(absoluteSpec(word, process.cwd()));
  if (![title, ...args].every(isSame)) {
    throw new SyncerError('usage', `the plan is of another command: ${words.join(' ')}`);
  }
  const isRelative = (arg: string) => {
    const { name, path } = parseRemoteSpec(arg);
    return name === '' && !isAbsolute(path);
  };
  if (args.some(isRelative) && process.cwd() !== dir) {
    throw new SyncerError('usage', 'the plan has relative paths and is of another directory', {
      advice: `run this in ${dir}`,
    });
  }
}
