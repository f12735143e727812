import { Box } from 'ink';
import { isConfirm } from '../../src/config-wizard/confirm-question.ts';
import { countAnswers } from '../../src/config-wizard/conversation.ts';
import { sectionLines, textLines } from '../../src/config-wizard/question-lines.ts';
import { wizardHelp, wizardKeys } from '../../src/config-wizard/wizard-keys.ts';
import type { WizardModel } from '../../src/config-wizard/wizard-model.ts';
import type { WizardState } from '../../src/config-wizard/wizard-state.ts';
import type { Work } from '../../src/config-wizard/work.ts';
import { harmless } from '../../src/core/harmless.ts';
import type { Size } from '../../src/screen/screen-model.ts';
import { type Line, span } from '../../src/screen/span.ts';
import { KeyHelp } from '../shared/key-help.tsx';
import { Lines } from '../shared/lines.tsx';
import { useLook } from '../shared/look-context.tsx';
import { Page, pageRows } from '../shared/page.tsx';
import { Row } from '../shared/row.tsx';
import type { ViewProps } from '../shared/screen-root.tsx';
import { QuestionView } from './question-view.tsx';

interface WorkViewProps {
  readonly state: WizardState;
  readonly columns: number;
  readonly rows: number;
}

const DOING: Readonly<Record<Work['type'], string>> = {
  login: 'Logging in',
  'set-up': 'Contacting the service',
  'read-import': "Reading rclone's configuration",
};

/** So wide the section stands beside the question. */
const BESIDE_COLUMNS = 96;
/** From this height on it stands below. */
const BELOW_ROWS = 18;
const BELOW_SHARE = 0.45;

/** The wizard: one question, and the section that comes of it beside or below where there is room. */
export function WizardView({ model, size }: ViewProps<WizardModel>) {
  const { state } = model;
  const { notice } = state;
  const status =
    notice === undefined
      ? undefined
      : textLines(notice.text, size.columns, notice.isBad ? 'bad' : 'good')[0];
  return (
    <Page
      size={size}
      title="config"
      subject={subjectOf(state)}
      aside={asideOf(state)}
      status={status}
      hints={wizardKeys(state)}
    >
      <Content
        state={state}
        size={{ columns: size.columns, rows: pageRows(size, status !== undefined) }}
      />
    </Page>
  );
}

function Content({ state, size }: { state: WizardState; size: Size }) {
  const { glyphs } = useLook();
  const { columns, rows } = size;
  const { step } = state.conversation;
  if (state.page === 'keys') {
    return <KeyHelp hints={wizardHelp(state)} first={state.first} columns={columns} rows={rows} />;
  }
  if (state.page === 'section') {
    const lines = sectionLines(state, columns, glyphs);
    const none = textLines('Nothing will be written yet.', columns, 'dim');
    return <Lines lines={lines.length === 0 ? none : lines.slice(state.first)} rows={rows} />;
  }
  if (step.kind !== 'ask') return <WorkView state={state} columns={columns} rows={rows} />;
  const { question } = step;
  const isBeside = columns >= BESIDE_COLUMNS && !isConfirm(question);
  const left = isBeside ? Math.floor(columns * 0.58) : columns;
  const right = columns - left - 2;
  const section = isConfirm(question)
    ? []
    : sectionLines(state, isBeside ? right : columns, glyphs);
  if (isBeside && section.length > 0) {
    return (
      <Box flexDirection="row">
        <Box flexDirection="column" width={left} marginRight={2}>
          <QuestionView asked={question} state={state} columns={left} rows={rows} />
        </Box>
        <Box flexDirection="column" width={right}>
          <Lines lines={section} rows={rows} />
        </Box>
      </Box>
    );
  }
  const below =
    rows >= BELOW_ROWS && section.length > 0
      ? Math.min(section.length + 1, Math.floor(rows * BELOW_SHARE))
      : 0;
  return (
    <>
      <Box flexDirection="column" height={rows - below} overflow="hidden">
        <QuestionView asked={question} state={state} columns={columns} rows={rows - below} />
      </Box>
      {below === 0 ? null : <Row line={[span(glyphs.rule.repeat(columns), 'dim')]} />}
      <Lines lines={section} rows={below - 1} />
    </>
  );
}

function subjectOf({ conversation, world }: WizardState): string {
  const { step } = conversation;
  const draft = step.kind === 'end' ? undefined : step.draft;
  if (draft === undefined) return harmless(world.configPath ?? 'in memory only');
  const what = draft.original === undefined ? 'new remote' : 'edit';
  return harmless(`${what} ${draft.name} (${draft.kind.type})`);
}

function asideOf({ conversation }: WizardState): string {
  const { step } = conversation;
  const isMenu = step.kind === 'ask' && countAnswers(conversation) === 0;
  return isMenu ? '' : `step ${countAnswers(conversation) + 1}`;
}

/** The running work and its messages: the link of a login, the code for another device. */
function WorkView({ state, columns, rows }: WorkViewProps) {
  const { glyphs } = useLook();
  const { step } = state.conversation;
  const doing = step.kind === 'work' ? DOING[step.work.type] : 'Writing the configuration';
  const head = textLines(`${doing}${glyphs.ellipsis}`, columns, 'title');
  const { told } = state;
  const all = told.flatMap((line) => lineOf(line, columns));
  // The pattern to photograph must not be broken up: where it does not fit, the link stands alone.
  const widest = Math.max(0, ...told.filter(isPattern).map((line) => line.length));
  const fits = head.length + all.length <= rows && widest <= columns;
  const shown = fits
    ? all
    : told.filter((line) => !isPattern(line)).flatMap((line) => lineOf(line, columns));
  return <Lines lines={[...head, ...shown]} rows={rows} />;
}

function lineOf(line: string, columns: number): readonly Line[] {
  return isPattern(line) ? [[span(line)]] : textLines(line, columns);
}

/** A row of a QR code. */
function isPattern(line: string): boolean {
  return /[▀▄█]/.test(line);
}
