import { REMOTE_KINDS } from '../../../../commands/config/config-job.ts';
import {
  answer,
  type Conversation,
  finishWork,
} from '../../../../src/config/dialogue/conversation.ts';
import type { Draft, WizardKind } from '../../../../src/config/dialogue/draft.ts';
import { summarise } from '../../../../src/config/dialogue/remote-summary.ts';
import { answerOf, type WizardWorld, type Work } from '../../../../src/config/dialogue/step.ts';

import { expandPath } from '../../../../src/system/shell-words.ts';

/** All kinds of storage, as the program has them. */
export const KINDS: readonly WizardKind[] = REMOTE_KINDS;

export const NOW = Date.parse('2026-11-20T12:00:00Z');

/** A world with these sections. */
export function worldOf(
  sections: Readonly<Record<string, Record<string, string>>> = {},
): WizardWorld {
  return {
    remotes: Object.entries(sections).map(([name, values]) =>
      summarise(name, new Map(Object.entries(values)), KINDS, NOW),
    ),
    kinds: KINDS,
    configPath: '/home/me/.config/syncer/syncer.conf',
    isEncrypted: false,
    former: undefined,
    rclonePath: undefined,
    usedBy: (name) => (name === 'store' ? '1 job uses store: nightly.' : ''),
    expand: (typed) => expandPath(typed, { HOME: '/home/me' }),
    nowMs: NOW,
  };
}

/** What a work results in where nothing real is asked: a token, two drives, an empty configuration. */
export function resultOf(work: Work): unknown {
  switch (work.type) {
    case 'login':
      return '{"access_token":"from the browser"}';
    case 'read-import':
      return { isLocked: false, remotes: [] };
    case 'set-up':
      return setUpResult(work.input.state, work.input.result);
  }
}

function setUpResult(state: string, result: string) {
  const question = (name: string, values: readonly string[]) => ({
    name,
    type: 'string' as const,
    help: `${name}?`,
    default: values[0] ?? '',
    exclusive: true,
    examples: values.map((value) => ({ value, help: `the ${value}` })),
  });
  if (state === '')
    return { state: 'kind', question: question('config_type', ['onedrive', 'search']) };
  if (state === 'kind') {
    return { state: 'drive', question: question('config_driveid', ['drive-1', 'drive-2']) };
  }
  return { state: '', values: { drive_id: result, drive_type: 'business' } };
}

/** Answers as lines of text would, and does what has to be done between. Gives the titles of the questions asked. */
export function walk(
  begun: Conversation,
  lines: readonly string[],
): { readonly conversation: Conversation; readonly asked: readonly string[] } {
  let conversation = throughWorks(begun);
  const asked: string[] = [];
  for (const line of lines) {
    const { step } = conversation;
    if (step.kind !== 'ask') throw new Error(`it asks nothing for "${line}"`);
    asked.push(step.question.title);
    const given = answerOf(step.question, line);
    if ('wrong' in given) throw new Error(`${step.question.title}: ${given.wrong}`);
    conversation = throughWorks(answer(conversation, given.text));
  }
  return { conversation, asked };
}

/** The conversation behind the works that it stands at. */
function throughWorks(begun: Conversation): Conversation {
  let conversation = begun;
  for (;;) {
    const { step } = conversation;
    if (step.kind !== 'work') return conversation;
    conversation = finishWork(conversation, resultOf(step.work));
  }
}

/** The draft that a conversation ends with. */
export function savedBy({ step }: Conversation): Draft {
  if (step.kind === 'end' && step.outcome.type === 'save') return step.outcome.draft;
  throw new Error('it saves nothing');
}
