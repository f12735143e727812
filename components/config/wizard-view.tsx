import { Box } from 'ink';
import { begin, isInForm, questionIds } from '../../src/config/dialogue/conversation.ts';
import type { Draft } from '../../src/config/dialogue/draft.ts';
import { MENU_ID } from '../../src/config/dialogue/menu-script.ts';
import { isConfirm, optionQuestion } from '../../src/config/dialogue/option-question.ts';
import { stepName } from '../../src/config/dialogue/remote-script.ts';
import { type Choice, numbered, type Question, type Work } from '../../src/config/dialogue/step.ts';
import { harmless } from '../../src/core/shown-text.ts';
import { cellWidth, cut, fill, lineWidth } from '../../src/terminal/cells.ts';
import {
  aroundCursor,
  cursorLine,
  cursorList,
  POINTER_COLUMNS,
} from '../../src/terminal/cursor-list.ts';
import { ENOUGH_LINES } from '../../src/terminal/drawn-question.ts';
import { fieldLine } from '../../src/terminal/field-line.ts';
import { filterField } from '../../src/terminal/list-filter.ts';
import type { Glyphs } from '../../src/terminal/look.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type FrameLine, type Line, span, type Tone } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { List, Menu } from '../ui/list.tsx';
import { Page } from '../ui/page.tsx';
import { type PageQuestion, scrollingQuestion } from '../ui/question.ts';
import { Row } from '../ui/row.tsx';
import { type ScreenViewProps, useLook, useRoom, useScreen } from '../ui/screen.tsx';
import { Lines } from '../ui/text.tsx';
import { beginEntry, isMasked, visibleChoices, type WizardEntry } from './entry.ts';
import { headLines, remarkLines, sectionLines, testLines, titleLine } from './question-lines.ts';
import { type FormField, shownForm } from './wizard-keys.ts';
import type { WizardModel } from './wizard-model.ts';
import type { WizardState } from './wizard-steps.ts';

interface WizardProps {
  readonly state: WizardState;
}

/** The wizard: a question or the form of a remote, and what comes of it beside or below where there is room. */
export function WizardView({ model: { state } }: ScreenViewProps<WizardModel>) {
  const { glyphs } = useLook();
  const { size } = useScreen();
  const { page, first, notice, conversation } = state;
  const { step } = conversation;
  const common = { subject: subjectOf(state), aside: asideOf(state, size) };
  const isAsked = step.kind === 'ask' && page !== 'section';
  const { isWide, inner } = layoutOf(size, isAsked);
  const tone = notice?.isBad === true ? 'bad' : 'good';
  const said = notice === undefined ? [] : textLines(notice.text, inner.columns, tone);
  if (!isAsked) {
    return (
      <Page {...common} status={said[0]}>
        {page === 'section' ? <Section state={state} first={first} /> : <Working {...state} />}
      </Page>
    );
  }
  const { question, draft } = step;
  const isOfForm = isInForm(conversation);
  const isField =
    isOfForm &&
    question.kind === 'text' &&
    draft?.kind.options.some(({ name }) => name === question.title) === true;
  if (draft !== undefined && (isConfirm(question) || isField || (isOfForm && isWide))) {
    const form = { state, draft, edited: isField ? question : undefined };
    const asked = isConfirm(question)
      ? formQuestion(state, question, draft, glyphs)
      : dialogOf(question, state, glyphs);
    return (
      <Page {...common} question={isField ? undefined : asked} pane={<FormDetails {...form} />}>
        <Form {...form} />
      </Page>
    );
  }
  const menu = isWide ? menuBelow(state, question) : undefined;
  if (menu !== undefined) {
    const asked = dialogOf(question, state, glyphs);
    return (
      <Page {...common} question={asked} pane={<Section state={menu} />}>
        <MenuBelow state={menu} />
      </Page>
    );
  }
  const status = said.length === 1 ? said[0] : undefined;
  const height = contentRows(inner, status === undefined ? 0 : 1);
  // The section stands below a question that has no pane beside it.
  const hasBelow = !isWide && question.id !== MENU_ID && height >= 18;
  const section = hasBelow ? sectionLines(state, inner.columns, glyphs) : [];
  const all = section.length === 0 ? [] : [ruleLine(inner.columns, glyphs), ...section];
  const below = all.slice(0, Math.floor(height * BELOW_SHARE));
  const asked: PageQuestion = {
    enough: ENOUGH_ROWS,
    isAbove: true,
    opens: question.kind === 'list' || question.id === MENU_ID,
    lines: ({ columns, rows }) => {
      // Something of the question is seen below a long notice.
      const above = status === undefined ? said.slice(0, Math.max(1, rows - 4)) : [];
      const left = { columns, rows: rows - above.length - below.length };
      return [...above.map((line) => ({ line })), ...questionLines(question, state, left, glyphs)];
    },
  };
  return (
    <Page {...common} status={status} question={asked} pane={<Section state={state} />}>
      <Box flexGrow={1} />
      <Lines lines={below} rows={below.length} />
    </Page>
  );
}

/** How much of a screen without a pane the details take. */
const BELOW_SHARE = 0.45;

/** How many lines of a question must be seen before a key confirms it; the others scroll, with a line that says so. */
const ENOUGH_ROWS = ENOUGH_LINES + 2;

/** A question in a dialog. */
function dialogOf(asked: Question, state: WizardState, glyphs: Glyphs): PageQuestion {
  return {
    enough: ENOUGH_ROWS,
    opens: asked.kind === 'list',
    lines(room) {
      const lines = questionLines(asked, state, room, glyphs);
      // A search keeps its width, whatever it finds.
      return lines.map(({ line, ...place }) => {
        const rest = asked.kind === 'list' ? room.columns - lineWidth(line) : 0;
        return { ...place, line: [...line, span(' '.repeat(Math.max(0, rest)))] };
      });
    },
  };
}

/** The question whether to save the form, or to leave it. */
function formQuestion(
  { page, first }: WizardState,
  { about, warning }: Question,
  { name, original }: Draft,
  glyphs: Glyphs,
): PageQuestion | undefined {
  if (page !== 'save' && page !== 'leave') return undefined;
  const what = original === undefined ? 'the new remote' : 'the changes to';
  const discard = span(`Discard ${what} "${name}"?`, 'warn');
  const save = [span(about), span(warning, 'warn')].filter(({ text }) => text !== '');
  const asked = page === 'save' ? save : [discard];
  const linesIn = (columns: number) =>
    asked.flatMap(({ text, tone }) => textLines(text, columns, tone));
  const question = scrollingQuestion(linesIn, first, 'PgUp PgDn', { glyphs });
  return { ...question, enough: ENOUGH_ROWS };
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

/** The menu, as it was when its answer was given. */
function MenuBelow({ state }: WizardProps) {
  const { glyphs } = useLook();
  const room = useRoom();
  const { step } = state.conversation;
  if (step.kind !== 'ask') return null;
  return <List lines={questionLines(step.question, state, room, glyphs)} />;
}

/** What will be written, beside a question or on a page of its own. */
function Section({ state, first }: WizardProps & { readonly first?: number }) {
  const { columns } = useRoom();
  const lines = sectionLines(state, columns, useLook().glyphs);
  const isNone = lines.length === 0 && first !== undefined;
  const shown = isNone ? textLines('Nothing will be written yet.', columns, 'dim') : lines;
  const chosen = first === undefined ? chosenLines(state, columns) : [];
  return <Lines lines={[...chosen, ...shown]} first={first ?? 0} />;
}

/** What the choice under the cursor of a list means, whole: the list has room for its beginning. */
function chosenLines({ conversation: { step }, entry }: WizardState, columns: number) {
  if (step.kind !== 'ask' || step.question.kind !== 'list') return [];
  const { label = '', help = '' } = visibleChoices(step.question, entry)[entry.cursor] ?? {};
  if (help === '') return [];
  return [...textLines(label, columns, 'section'), ...textLines(help, columns), []];
}

/** Stands between a list and its details below. */
const ruleLine = (columns: number, { rule }: Glyphs): Line => [span(rule.repeat(columns), 'dim')];

/** A question with the place for its answer. */
function questionLines(
  asked: Question,
  state: WizardState,
  { columns, rows }: Size,
  glyphs: Glyphs,
): readonly FrameLine[] {
  const { entry } = state;
  const isText = asked.kind === 'text' || asked.kind === 'token';
  const choices = isText ? [] : visibleChoices(asked, entry);
  const remarks = remarkLines(asked, state, columns);
  const filter = filterField(entry);
  const filterLines = filter === undefined ? [] : [fieldLine(filter, columns, glyphs)];
  const field = /^(letters|ticks)$/.test(asked.kind)
    ? filterLines
    : [answerLine(asked, state, columns, glyphs)];
  // Something of every part is seen even on the smallest screen.
  const least = Math.min(choices.length, 4) + remarks.length + field.length;
  const above = [...headLines(asked, state, columns, rows - least, glyphs), ...field, ...remarks];
  const room = { columns, rows: Math.max(1, rows - above.length) };
  return [...above.map((line) => ({ line })), ...choiceLines(asked, choices, entry, room, glyphs)];
}

/** The line where the answer to a question is typed. */
function answerLine(
  asked: Question,
  { entry, reveals }: WizardState,
  columns: number,
  glyphs: Glyphs,
  label = asked.kind === 'list' ? 'search or enter:' : `${asked.title}:`,
): Line {
  const placeholder = asked.kind === 'list' ? '' : asked.default;
  const masked = isMasked(asked, entry, reveals);
  const line = fieldLine({ label, edited: entry.field, placeholder, masked }, columns, glyphs);
  // A field that one sees, also without colours.
  const room = Math.min(32 - cellWidth(entry.field.text), columns - lineWidth(line) - 1);
  const isOpen = asked.kind === 'text' && (placeholder === '' || entry.field.text !== '');
  return isOpen && room > 0 ? [...line, span('_'.repeat(room), 'dim')] : line;
}

function choiceLines(
  asked: Question,
  choices: readonly Choice[],
  { cursor, ticked, filter }: WizardEntry,
  size: Size,
  glyphs: Glyphs,
): readonly FrameLine[] {
  const list = numbered(filter === undefined ? asked.choices : choices);
  const keyOf = (choice: Choice) => {
    if (ticked !== undefined) return ticked.has(choice.value) ? '[x]' : '[ ]';
    const number = list.indexOf(choice) + 1;
    return choice.key ?? (number > 0 ? String(number) : '');
  };
  if (filter !== undefined && choices.length === 0)
    return [{ line: [span('Nothing matches the filter.', 'dim')] }];
  const keyWidth = Math.max(0, ...choices.map((choice) => cellWidth(keyOf(choice))));
  const widest = Math.max(0, ...choices.map(({ label }) => cellWidth(harmless(label))));
  const labelWidth = Math.min(widest, Math.max(8, Math.floor(size.columns / 2)));
  const lineOf = (choice: Choice, selected: boolean): Line => {
    const { help = '', needsKey, value } = choice;
    const press = needsKey === true ? ` (press ${choice.key})` : '';
    const isDefault = value !== '' && value === asked.default;
    const note = harmless(`${help}${press}${isDefault ? ' (default)' : ''}`.trim());
    const label = harmless(choice.label);
    const key = keyWidth === 0 ? '' : `${keyOf(choice).padStart(keyWidth)}  `;
    return [
      span(key, 'accent'),
      span(note === '' ? label : fill(label, labelWidth, glyphs.ellipsis), 'plain', selected),
      span(note === '' ? '' : `  ${cut(note, size.columns, glyphs.ellipsis)}`, 'dim'),
    ];
  };
  // What a search finds stands in the order of how well it fits.
  if (choices !== asked.choices || choices.every(({ group }) => group === undefined))
    return cursorList(choices, cursor, size, glyphs, lineOf);
  // Each group below its heading.
  const lines = choices.flatMap((choice, at): readonly FrameLine[] => {
    const { group = '' } = choice;
    const isFirst = group !== '' && group !== choices[at - 1]?.group;
    const selected = at === cursor;
    const line = { ...cursorLine(lineOf(choice, selected), selected, size.columns, glyphs), at };
    return isFirst ? [{ line: [span(group, 'heading')] }, line] : [line];
  });
  return aroundCursor(lines, size.rows);
}

const DOING: Readonly<Record<Work['type'], string>> = {
  login: 'Logging in',
  'set-up': 'Contacting the service',
  'read-import': "Reading rclone's configuration",
};

/** The running work and its messages: the link of a login, the code for another device. */
function Working({ conversation: { step }, told }: WizardState) {
  const { ellipsis } = useLook().glyphs;
  const { columns, rows } = useRoom();
  const doing = step.kind === 'work' ? DOING[step.work.type] : 'Writing the configuration';
  const head = textLines(`${doing}${ellipsis}`, columns, 'section');
  const lineOf = (line: string): readonly Line[] =>
    isPattern(line) ? [[span(line)]] : textLines(line, columns);
  const all = told.flatMap(lineOf);
  // The pattern to photograph must not be broken up: where it does not fit, the link stands alone.
  const widest = Math.max(0, ...told.filter(isPattern).map((line) => line.length));
  const fits = head.length + all.length <= rows && widest <= columns;
  const texts = told.filter((line) => !isPattern(line)).flatMap(lineOf);
  return <Lines lines={[...head, ...(fits ? all : texts)]} />;
}

/** A row of a QR code. */
const isPattern = (line: string): boolean => /[▀▄█]/.test(line);

interface FormProps extends WizardProps {
  readonly draft: Draft;
  /** The question that a field answers in its line. */
  readonly edited: Question | undefined;
}

/** The fields of a remote, one a line, and their details below if there is no room beside. */
function Form(props: FormProps) {
  const { state, draft, edited } = props;
  const { glyphs } = useLook();
  const { columns, rows, hasPane } = useRoom();
  const { fields, folded, cursor } = shownForm(draft, state);
  const at = edited === undefined ? cursor : fields.findIndex(({ name }) => name === edited.title);
  const width = Math.max(...fields.map(({ name }) => cellWidth(name)));
  const none = fields.length > 0 ? [] : [[span('This remote has no settings.', 'dim')]];
  const advanced = `  ${glyphs.folded} ${folded} advanced, without a value (a shows them)`;
  const more = folded === 0 ? none : [[span(advanced, 'dim')]];
  const least = hasPane ? 0 : Math.max(3, Math.floor(rows * BELOW_SHARE));
  const most = Math.max(1, rows - least - more.length);
  const left = rows - Math.min(fields.length, most) - more.length - 1;
  const lineOf = (field: FormField) => {
    if (field.name !== edited?.title) return fieldSpans(field, state, width, glyphs);
    const label = `  ${fill(edited.title, width + 1)}`;
    return answerLine(edited, state, columns - POINTER_COLUMNS, glyphs, label);
  };
  const isEdited = edited !== undefined;
  return (
    <>
      <Menu
        items={fields}
        cursor={at}
        lineOf={lineOf}
        rows={most}
        opens={!isEdited}
        isPlain={isEdited}
      />
      <Lines lines={more} rows={more.length} />
      {hasPane ? null : <Row line={ruleLine(columns, glyphs)} />}
      {hasPane ? null : <FormDetails {...props} rows={Math.max(0, left)} />}
    </>
  );
}

function fieldSpans(
  field: FormField,
  { reveals, test }: WizardState,
  width: number,
  glyphs: Glyphs,
): Line {
  const { name, value, isHidden, option } = field;
  const isBad = test.is === 'bad' && test.diagnosis.field === name;
  const [mark, tone, note] = markOf(field, isBad ? test.diagnosis.what : '', glyphs);
  const masked = isHidden && !reveals ? glyphs.bullet.repeat(8) : harmless(value);
  const unset = option.default === undefined ? '' : `(default ${option.default})`;
  return [
    span(fill(mark, 2, ''), tone, true),
    span(`${fill(name, width, glyphs.ellipsis)}  `),
    value === '' ? span(harmless(unset), 'dim') : span(cut(masked, 60, glyphs.ellipsis)),
    span(note === '' ? '' : `  ${harmless(note)}`, tone === 'plain' ? 'dim' : tone),
  ];
}

/** What is to be seen of a field first. */
function markOf(
  { wrong, change, isUnneeded, option, value }: FormField,
  reason: string,
  { cross, mark }: Glyphs,
): readonly [string, Tone, string] {
  if (reason !== '') return [cross, 'bad', reason];
  if (wrong !== '') return ['!', 'warn', wrong];
  if (change !== '') return [mark, 'accent', change];
  if (isUnneeded) return ['', 'plain', 'kept, used first'];
  return ['', 'plain', option.required === true && value === '' ? 'required' : ''];
}

/** What the field at the cursor, or the one that is edited, is; what the test found; and the section to be written. */
function FormDetails({ state, draft, edited, ...own }: FormProps & { readonly rows?: number }) {
  const { glyphs } = useLook();
  const room = useRoom();
  const { columns } = room;
  const rows = own.rows ?? room.rows;
  const { conversation, test } = state;
  const { fields, field } = shownForm(draft, state);
  const shown = edited === undefined ? field : fields.find(({ name }) => name === edited.title);
  const trouble = conversation.problem;
  const found = [
    ...(trouble === '' ? [] : textLines(trouble, columns, 'bad')),
    ...testLines(test, columns, glyphs),
  ];
  const remarks = edited === undefined ? [] : remarkLines(edited, state, columns);
  const about = shown === undefined ? [] : aboutLines(shown, draft, columns);
  const section = sectionLines(state, columns, glyphs);
  const parts = [found, remarks, about, section].filter((lines) => lines.length > 0);
  const all = parts.flatMap((lines, at) => (at === 0 ? lines : [[], ...lines]));
  return <Lines lines={all.length <= rows ? all : parts.flat()} rows={rows} />;
}

function aboutLines({ option, change }: FormField, draft: Draft, columns: number): readonly Line[] {
  const { about, example } = optionQuestion(option, '', draft.values.get('provider') ?? '');
  const changes = { new: 'Stored', changed: 'Replaced', deleted: 'Deleted' };
  const required = option.required === true ? ' Required.' : '';
  const unset =
    option.default === undefined || option.default === '' ? '' : ` Default: ${option.default}.`;
  return [
    titleLine(option.name),
    ...textLines(`${about}${required}${unset}`, columns),
    ...(example === '' ? [] : textLines(`Example: ${example}`, columns, 'dim')),
    ...(change === '' ? [] : textLines(`${changes[change]} by saving.`, columns, 'accent')),
  ];
}

function subjectOf({ conversation, world }: WizardState): string {
  const { step } = conversation;
  const draft = step.kind === 'end' ? undefined : step.draft;
  if (draft === undefined) return harmless(world.configPath ?? 'in memory only');
  const what = draft.original === undefined ? 'new remote' : 'edit';
  return harmless(`${what} ${draft.name} (${draft.kind.type})`);
}

/** Which step to a new remote it is, and which question of that step; those after a login are not known before it. */
function asideOf({ conversation }: WizardState, { columns }: Size): string {
  const { step } = conversation;
  if (step.kind !== 'ask' || step.draft?.original !== undefined || isInForm(conversation))
    return '';
  const kind = step.draft?.kind;
  if (kind === undefined && !/^new\//.test(step.question.id)) return '';
  const all = questionIds(conversation);
  const { ids } = all;
  const isExact = kind !== undefined && all.isExact;
  const nameOf = (id: string) => stepName(id, kind);
  const asked = ids.filter((id) => id !== MENU_ID);
  const names = [...new Set(asked.map(nameOf))];
  const name = nameOf(step.question.id);
  const number = names.indexOf(name) + 1;
  const at = isExact ? `${number} of ${names.length}` : number;
  // A name in the title needs more room.
  if (columns < 60) return isExact ? `${at}` : `step ${at}`;
  const own = asked.filter((id) => nameOf(id) === name);
  const place = `, ${own.indexOf(step.question.id) + 1} of ${own.length}`;
  return `Step ${at}: ${name}${own.length > 1 && isExact ? place : ''}`;
}
