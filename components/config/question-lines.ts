import { commandLine, draftWith, previewLines } from '../../src/config/dialogue/option-question.ts';
import { readPastedToken, tellToken } from '../../src/config/dialogue/pasted-token.ts';
import { NAME_ID, STORAGE_ID } from '../../src/config/dialogue/remote-script.ts';
import { draftOf } from '../../src/config/dialogue/remote-summary.ts';
import { type Question, testResultText, type WizardWorld } from '../../src/config/dialogue/step.ts';
import { harmless } from '../../src/core/shown-text.ts';
import { cut } from '../../src/terminal/cells.ts';
import { scrolledText } from '../../src/terminal/help-lines.ts';
import type { Glyphs } from '../../src/terminal/look.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { enteredValue, isReplaced } from './entry.ts';
import type { TestState, WizardState } from './wizard-steps.ts';

/** What is asked: the trouble before, the question, an example; in fewer rows it scrolls. */
export function headLines(
  asked: Question,
  state: Pick<WizardState, 'conversation' | 'reveals' | 'first'>,
  columns: number,
  rows: number,
  glyphs: Glyphs,
): readonly Line[] {
  const { reveals, first } = state;
  const { problem } = state.conversation;
  const trouble = problem || asked.problem;
  const lines = [
    ...(trouble === '' ? [] : textLines(trouble, columns, 'bad')),
    ...(/^.?$|\//.test(asked.title) ? [] : [titleLine(asked.title)]),
    ...textLines((reveals && asked.aboutInClear) || asked.about, columns),
    ...(asked.warning === '' ? [] : textLines(asked.warning, columns, 'warn')),
    ...(asked.example === '' ? [] : textLines(`Example: ${asked.example}`, columns, 'dim')),
  ];
  return scrolledText(lines, first, Math.max(1, rows), 'PgUp PgDn', { glyphs });
}

/** A label for people, and beside it the key of the configuration file if it reads otherwise. */
export function titleLine(key: string): Line {
  const words = harmless(key)
    .split('_')
    .map((word) => (SHORT_WORDS.test(word) ? word.toUpperCase() : word))
    .join(' ');
  // `access_key_id`: Access key ID.
  const label = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  const isOther = label.toLowerCase() !== key.toLowerCase();
  return [span(label, 'section'), span(isOther ? `  ${harmless(key)}` : '', 'dim')];
}

const SHORT_WORDS =
  /^(id|url|acl|sse|kms|sts|iam|arn|mfa|md5|http|https|ssh|sftp|smb|api|ip|aws|tls)$/;

/** What is to be said of what is entered: what is wrong, how a token is, or what Enter alone means. */
export function remarkLines(
  asked: Question,
  { entry, wrong, world, reveals }: WizardState,
  columns: number,
): readonly Line[] {
  if (asked.kind === 'token') {
    const { text, isGood } = tellToken(readPastedToken(entry.field.text), world.nowMs);
    if (text === '')
      return textLines(wrong || 'Paste the token here.', columns, wrong === '' ? 'dim' : 'warn');
    return textLines(text, columns, isGood ? 'good' : 'warn');
  }
  if (wrong !== '') return textLines(wrong, columns, 'warn');
  const remark = asked.kind === 'letters' ? undefined : asked.remark(enteredValue(asked, entry));
  if (remark !== undefined) return textLines(remark, columns, 'warn');
  if (isReplaced(asked, entry, reveals))
    return textLines('What you type replaces it; ^R shows it.', columns, 'dim');
  if (asked.kind !== 'text' || entry.field.text !== '') return [];
  if (asked.check('') !== undefined) return [];
  const empty =
    asked.default === '' ? 'Press Enter to leave it empty.' : `Press Enter for ${asked.default}.`;
  return textLines(empty, columns, 'dim');
}

/** The section that will be written, with the line of the current question marked, and the command that does the same. */
export function sectionLines(
  { conversation, entry, reveals, world }: WizardState,
  columns: number,
  glyphs: Glyphs,
): readonly Line[] {
  const { step, kept } = conversation;
  const typed = step.kind === 'ask' ? enteredValue(step.question, entry) : '';
  let draft = draftWith(step, typed);
  if (draft === undefined && step.kind === 'ask' && step.question.id === STORAGE_ID) {
    // While the backend is chosen, the remote is its name and the backend under the cursor.
    const kind = world.kinds.find(({ type }) => type === typed);
    const name = kept.get(NAME_ID) ?? '';
    draft = kind && { name, kind, values: new Map(), original: undefined };
  }
  if (draft === undefined)
    return step.kind === 'ask' ? remoteLines(typed, world, reveals, columns) : [];
  const lines = previewLines(draft, step, reveals).map(({ text, isCurrent }): Line => {
    const shown = cut(harmless(text), columns, glyphs.ellipsis);
    return [span(shown, isCurrent ? 'accent' : shown.startsWith('[') ? 'section' : 'plain')];
  });
  return [...lines, [], ...textLines(commandLine(draft, reveals), columns, 'dim')];
}

/** The section of the remote that the cursor of the menu is on. */
function remoteLines(chosen: string, { remotes }: WizardWorld, reveals: boolean, columns: number) {
  const remote = remotes.find(({ name }) => chosen === `e:${name}`);
  if (remote === undefined) return [];
  const { kind, login, place } = remote;
  if (kind === undefined) return textLines(place, columns, 'dim');
  const lines = previewLines(draftOf(remote, kind), undefined, reveals);
  return [
    ...lines.flatMap(({ text }) => textLines(text, columns)),
    ...(login === '' ? [] : [[], ...textLines(login, columns, 'dim')]),
  ];
}

/** How the test of a remote stands. */
export function testLines(test: TestState, columns: number, glyphs: Glyphs): readonly Line[] {
  switch (test.is) {
    case 'none':
      return [];
    case 'running':
      return textLines(`Testing${glyphs.ellipsis} you can save now.`, columns, 'dim');
    case 'good': {
      const text = `${glyphs.tick} ${testResultText(test.result, glyphs.ellipsis)}`;
      return textLines(text, columns, 'good');
    }
    case 'bad': {
      // The form has the cursor on the field: the letter of the lines of text is not needed.
      const mend = test.diagnosis.mend.replace(' (e)', '');
      return [
        ...textLines(`${glyphs.cross} Test failed: ${test.diagnosis.what}`, columns, 'bad'),
        ...(mend === '' ? [] : textLines(`${glyphs.arrow} ${mend}`, columns, 'warn')),
      ];
    }
  }
}
