import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { type Action, shownAction } from '../../engine/action.ts';
import { type AskLine, choose } from './input-lines.ts';

export interface Dialogue {
  readonly ask: AskLine;
  /** Logs an answer. */
  tell(message: string): void;
  /** Ends the run with this reason. */
  end(reason: SyncerError): void;
}

/**
 * `--interactive`: asks before every change. Questions are put one after the other; `s` and `!` answer all later
 * ones about the same action. Where no answer can be had, every question rejects with `no-answer`; after `q` with
 * `quit`, which ends the run.
 */
export function interactiveConsent(
  dialogue: Dialogue,
): (action: Action) => boolean | Promise<boolean> {
  const settled = new Map<string, boolean>();
  let ended: SyncerError | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const ask = async (action: Action): Promise<boolean> => {
    if (ended !== undefined) throw ended;
    const { words, about } = shownAction(action);
    const known = settled.get(words);
    if (known !== undefined) return known;
    const answer = await choose(
      `syncer: ${words} "${about}"?`,
      [
        ['y', 'Yes, this is OK'],
        ['n', 'No, skip this'],
        ['s', `Skip all ${words} operations with no more questions`],
        ['!', `Do all ${words} operations with no more questions`],
        ['q', 'Exit syncer now.'],
      ],
      dialogue.ask,
    ).catch((thrown) => {
      // The run was stopped at the question: no other one follows.
      ended = toSyncerError(thrown);
      throw thrown;
    });
    if (answer === 'q') {
      ended = new SyncerError('quit', 'stopped by the user');
      dialogue.tell('Quitting syncer now');
      dialogue.end(ended);
      throw ended;
    }
    if (answer === undefined) {
      ended = new SyncerError(
        'no-answer',
        `cannot ask whether to ${words} "${about}": end of standard input; nothing more is changed`,
        { advice: 'use --interactive on a terminal, or run without it' },
      );
      throw ended;
    }
    const allowed = answer === 'y' || answer === '!';
    if (answer === 's' || answer === '!') {
      settled.set(words, allowed);
      const doing = allowed ? 'Doing' : 'Skipping';
      dialogue.tell(`${doing} all ${words} operations from now on without asking`);
    }
    return allowed;
  };

  return (action) => {
    // The time of a directory only completes other changes.
    if (action.do === 'set-dir') return true;
    const answered = last.then(() => ask(action));
    last = answered.catch(() => {});
    return answered;
  };
}
