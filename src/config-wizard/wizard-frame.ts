import { harmless } from '../core/harmless.ts';
import { helpPage, scrolled } from '../screen/help-lines.ts';
import type { Look } from '../screen/look.ts';
import type { FrameLine, ScreenFrame } from '../screen/screen-frame.ts';
import { contentRows, layoutOf } from '../screen/screen-layout.ts';
import type { Size } from '../screen/screen-model.ts';
import { span } from '../screen/span.ts';
import { isConfirm } from './confirm-question.ts';
import { begin, countAnswers, isInForm, questionsAhead } from './conversation.ts';
import { beginEntry } from './entry.ts';
import { MENU_ID } from './menu-script.ts';
import { sectionLines, textLines } from './question-lines.ts';
import {
  askedLines,
  BOX_COLUMNS,
  type Drawing,
  fieldsFrame,
  formFrame,
  plainPage,
  questionBox,
  questionPage,
  type WizardPage,
  workLines,
} from './question-page.ts';
import type { Question } from './step.ts';
import { wizardHelp, wizardKeys } from './wizard-keys.ts';
import type { WizardState } from './wizard-state.ts';

/** From this height on the section stands below a question that has no pane beside it. */
const BELOW_ROWS = 18;
const BELOW_SHARE = 0.45;

/** The wizard: a question or the form of a remote, and what comes of it beside or below where there is room. */
export function wizardFrame(state: WizardState, size: Size, look: Look): ScreenFrame {
  const { glyphs } = look;
  const { notice, page, conversation } = state;
  const common = {
    ...{ subject: subjectOf(state), aside: asideOf(state) },
    hints: wizardKeys(state),
    opens: canOpen(state),
  };
  if (page === 'keys') {
    const room = { columns: size.columns, rows: contentRows(layoutOf(size, false).inner) };
    return { ...common, lines: helpPage(wizardHelp(state), state.first, room, look) };
  }
  const hasPane = conversation.step.kind === 'ask' && page !== 'section';
  const { inner, pane } = layoutOf(size, hasPane);
  const said = notice
    ? textLines(notice.text, inner.columns, notice.isBad ? 'bad' : 'good')
    : ([] as const);
  const rows = contentRows(inner, said.length);
  const drawing = {
    ...{ state, glyphs },
    room: { columns: inner.columns, rows },
    pane: { columns: pane, rows },
  };
  const shown = pageFrame(drawing);
  if (said.length < 2) return { ...common, ...shown, status: said[0] };
  // The line above the keys has no room for a long notice.
  return { ...common, ...shown, lines: [...said.map((line) => ({ line })), ...shown.lines] };
}

function pageFrame(drawing: Drawing): WizardPage {
  const { state, glyphs, room, pane } = drawing;
  const { step } = state.conversation;
  if (state.page === 'section') {
    const lines = sectionLines(state, room.columns, glyphs);
    const none = textLines('Nothing will be written yet.', room.columns, 'dim');
    const all = lines.length === 0 ? none : lines;
    return plainPage(scrolled(all, state.first, room.rows), room.rows);
  }
  if (step.kind !== 'ask') return plainPage(workLines(state, room, glyphs), room.rows);
  const { question, draft } = step;
  if (draft !== undefined && isConfirm(question)) return formFrame(drawing, question, draft);
  if (draft !== undefined && isInForm(state.conversation)) {
    if (question.kind === 'text' && draft.kind.options.some(({ name }) => name === question.title))
      return fieldsFrame(drawing, draft, question);
    if (pane.columns > 0) return boxed(fieldsFrame(drawing, draft), drawing, question);
  }
  const menu = pane.columns === 0 ? undefined : menuBelow(state, question);
  if (menu !== undefined)
    return boxed(questionFrame({ ...drawing, state: menu }), drawing, question);
  return questionFrame(drawing);
}

/** A question in a box over what it is about. */
function boxed(
  below: WizardPage,
  { state, glyphs, room }: Drawing,
  question: Question,
): WizardPage {
  const columns = Math.min(BOX_COLUMNS, room.columns - 6);
  const rows = Math.max(1, Math.floor(room.rows * 0.8) - 2);
  const boxList = questionBox(question, state, { columns, rows }, glyphs);
  const asked = askedLines(question, state, columns, glyphs);
  return { ...below, box: boxList.map(({ line }) => line), boxList, asked };
}

/** The state of the menu that a question comes from; not for questions about a new remote. */
function menuBelow(state: WizardState, { id }: Question): WizardState | undefined {
  const { script, given } = state.conversation;
  const [first] = given;
  if (first?.kind !== 'answer' || first.id !== MENU_ID || first.text === 'n') return undefined;
  if (id.startsWith('new/') || id.startsWith('import/confirm')) return undefined;
  const conversation = begin(script);
  const { step } = conversation;
  if (step.kind !== 'ask') return undefined;
  return { ...state, conversation, entry: beginEntry(step.question, first.text) };
}

/** A question, and the section that comes of it beside or below. */
function questionFrame({ state, glyphs, room, pane }: Drawing): WizardPage {
  const { step } = state.conversation;
  if (step.kind !== 'ask') return { lines: [] };
  const { question } = step;
  const asked = askedLines(question, state, room.columns, glyphs);
  if (pane.columns > 0) {
    const section = sectionLines(state, pane.columns, glyphs);
    return { lines: questionPage(question, state, room, glyphs), pane: section, asked };
  }
  const section = question.id === MENU_ID ? [] : sectionLines(state, room.columns, glyphs);
  const hasBelow = room.rows >= BELOW_ROWS && section.length > 0;
  const below = hasBelow ? Math.min(section.length + 1, Math.floor(room.rows * BELOW_SHARE)) : 0;
  const above = room.rows - below;
  const lines = questionPage(question, state, { ...room, rows: above }, glyphs);
  if (below === 0) return { lines, asked };
  const gap = Array.from({ length: Math.max(0, above - lines.length) }, () => ({
    line: [span(' ')],
  }));
  const rule: FrameLine = { line: [span(glyphs.rule.repeat(room.columns), 'dim')] };
  return { lines: [...lines, ...gap, rule, ...plainPage(section, below - 1).lines], asked };
}

/** Enter opens a field of the form, or takes an item of a list that is no question of yes and no. */
function canOpen({ page, conversation: { step } }: WizardState): boolean {
  if (page !== 'question' || step.kind !== 'ask') return false;
  const { question, draft } = step;
  if (isConfirm(question)) return draft !== undefined;
  return question.kind === 'list' || question.id === MENU_ID;
}

function subjectOf({ conversation, world }: WizardState): string {
  const { step } = conversation;
  const draft = step.kind === 'end' ? undefined : step.draft;
  if (draft === undefined) return harmless(world.configPath ?? 'in memory only');
  const what = draft.original === undefined ? 'new remote' : 'edit';
  return harmless(`${what} ${draft.name} (${draft.kind.type})`);
}

/** Which of the questions about a new remote it is; those that follow a login are not known before it. */
function asideOf({ conversation }: WizardState): string {
  const { step } = conversation;
  const draft = step.kind === 'ask' ? step.draft : undefined;
  if (draft === undefined || draft.original !== undefined || isInForm(conversation)) return '';
  const at = countAnswers(conversation);
  const { count, isExact } = questionsAhead(conversation);
  return isExact ? `${at} of ${at + count - 1}` : `step ${at}`;
}
