import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { isReference } from '../../system/secret-reference.ts';
import { answer, back, begin, type Conversation, finishWork } from './conversation.ts';
import { diagnose } from './diagnosis.ts';
import type { Draft } from './draft.ts';
import { MENU_ID } from './menu-script.ts';
import { commandLine, isConfirm, previewLines } from './option-question.ts';
import { lacksEndMark, readPastedToken } from './pasted-token.ts';
import {
  answerOf,
  doWork,
  isBack,
  numbered,
  type Outcome,
  type Question,
  type Script,
  testResultText,
  type WizardParts,
  type Work,
} from './step.ts';

/** The wizard with where its lines come from and go to. */
export interface TextWizard extends WizardParts {
  readonly print: (text: string) => Promise<void>;
  /** Prints a prompt and reads a line; `undefined` at the end. With `confirms`, none that was typed ahead counts. */
  readonly ask: (
    prompt: string,
    isSecret: boolean,
    confirms: boolean,
  ) => Promise<string | undefined>;
}

/** The wizard as lines of text. Rejects with `no-answer` if the input ends within a dialogue; nothing is written. */
export async function runTextWizard(wizard: TextWizard): Promise<void> {
  let hasAnswered = false;
  for (;;) {
    const world = await wizard.look();
    const outcome = await converse(wizard, () => wizard.script(world), world.nowMs, hasAnswered);
    if (outcome.type === 'quit') return;
    if (outcome.type !== 'nothing') {
      const said = await wizard.carryOut(outcome).catch((thrown) => {
        const error = toSyncerError(thrown);
        if (!wizard.repeats || error.stop !== true || error.code === 'interrupted') throw error;
        return `Failed: ${error.message}`;
      });
      await wizard.print(`${said}\n\n`);
    }
    if (!wizard.repeats) return;
    hasAnswered = true;
  }
}

async function converse(
  wizard: TextWizard,
  script: () => Script,
  nowMs: number,
  hasAnswered: boolean,
): Promise<Outcome> {
  let conversation = begin(script);
  let asked: Question | undefined;
  for (;;) {
    const { step } = conversation;
    if (step.kind === 'end') return step.outcome;
    if (step.kind === 'work') {
      conversation = await work(wizard, conversation, step.work);
      continue;
    }
    const { question, draft } = step;
    if (asked !== question) await tell(wizard, conversation);
    asked = question;
    const line = await readAnswer(wizard, question);
    if (line === undefined) {
      if (question.id === MENU_ID && hasAnswered) return { type: 'quit' };
      await wizard.print('\n');
      const text = 'input ended before the last question: nothing was written';
      throw new SyncerError('no-answer', text);
    }
    if (isBack(question, line)) {
      conversation = back(conversation) ?? conversation;
      continue;
    }
    if (!question.secret && line.trim() === '?') {
      await tell(wizard, conversation);
      continue;
    }
    const given = answerOf(question, line);
    const remark = 'text' in given ? question.remark(given.text) : undefined;
    if (remark !== undefined) await wizard.print(`Warning: ${remark}\n`);
    if ('wrong' in given) await wizard.print(`${given.wrong}\n`);
    else if (!isConfirm(question) || given.text !== 't') {
      conversation = answer(conversation, given.text);
    } else if (draft !== undefined) await test(wizard, draft, nowMs);
  }
}

async function tell({ print }: TextWizard, { step, problem }: Conversation): Promise<void> {
  if (step.kind !== 'ask') return;
  const { question, draft } = step;
  const trouble = problem || question.problem;
  if (trouble !== '') await print(`Error: ${trouble}\n`);
  if (isConfirm(question) && draft !== undefined) {
    const lines = previewLines(draft, step, false).map(({ text }) => `${text}\n`);
    const rule = '-'.repeat(20);
    await print(
      `\n${rule}\n${lines.join('')}${rule}\nEquivalent command: ${commandLine(draft, false)}\n`,
    );
  }
  await print(questionText(question));
  if (question.warning !== '') await print(`Warning: ${question.warning.replaceAll('\n', ' ')}\n`);
}

/** A line, and for a login as many as it takes to be complete. */
async function readAnswer(wizard: TextWizard, { kind, title, secret, choices }: Question) {
  const confirms = choices.some(({ needsKey }) => needsKey === true);
  // What stands between the marks of `authorize` ends with its mark.
  const hasMore = (given: string) =>
    readPastedToken(given).state === 'incomplete' || lacksEndMark(given);
  let text = await wizard.ask(`${title}> `, secret, confirms);
  while (kind === 'token' && text !== undefined && hasMore(text)) {
    const more = await wizard.ask('', secret, false);
    if (more === undefined) return undefined;
    text = `${text}\n${more}`;
  }
  return text?.replace(/\r$/, '');
}

async function work({ works, signal, print }: TextWizard, conversation: Conversation, asked: Work) {
  try {
    const tell = (text: string) => void print(`${text}\n`);
    return finishWork(conversation, await doWork(works, asked, tell, signal));
  } catch (thrown) {
    signal.throwIfAborted();
    const { message } = toSyncerError(thrown);
    const before = back(conversation, message);
    if (before === undefined) throw thrown;
    return before;
  }
}

async function test({ works, signal, print }: TextWizard, draft: Draft, nowMs: number) {
  await print('Testing...\n');
  try {
    await print(`${testResultText(await works.test(draft, signal))}\n`);
  } catch (thrown) {
    signal.throwIfAborted();
    const { what, mend } = diagnose(thrown, draft, nowMs);
    await print(`Test failed: ${what}\n${mend === '' ? '' : `To fix it: ${mend}\n`}`);
  }
}

/** A question as lines of text that can be read aloud: what it is, its choices, its default. */
function questionText(asked: Question): string {
  const { example, kind, title, choices } = asked;
  const about = asked.aboutInClear || asked.about;
  const head = kind === 'letters' ? about : `Option ${title}.\n${about}`;
  const lines = [`\n${head}`, ...(example === '' ? [] : [`Example: ${example}`])];
  if (kind !== 'letters') return `${[...lines, ...listLines(asked)].join('\n')}\n`;
  for (const { target, label, help = '' } of choices) {
    if (target !== undefined) lines.push(`  ${label}: ${help}`);
  }
  for (const { key, label, help, value } of choices) {
    const ends = value === (asked.preset || asked.default) ? ' (default)' : '';
    if (key !== undefined)
      lines.push(`${key}) ${label}${help === undefined ? '' : `: ${help}`}${ends}`);
  }
  return `${lines.join('\n')}\n`;
}

function listLines(asked: Question): string[] {
  const { choices, exclusive, default: ifUnset, preset, secret, check } = asked;
  const list = numbered(choices);
  const how = exclusive ? '.' : ', or type in your own value.';
  const enter = preset === '' ? ifUnset : secret && !isReference(preset) ? 'what is there' : preset;
  const optional =
    enter === '' && (exclusive || check('') !== undefined)
      ? []
      : [`Press Enter ${enter === '' ? 'to leave empty' : `for the default (${enter})`}.`];
  return [
    ...(list.length === 0 ? [] : [`Choose a number from below${how}`]),
    ...optional,
    ...list.flatMap(({ label, help = '' }, at) => [` ${at + 1} / ${help}`, `   (${label})`]),
  ];
}
