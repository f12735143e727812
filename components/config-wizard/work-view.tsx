import { textLines } from '../../src/config-wizard/question-lines.ts';
import type { WizardState } from '../../src/config-wizard/wizard-state.ts';
import type { Work } from '../../src/config-wizard/work.ts';
import { useLook } from '../shared/look-context.tsx';
import { Lines } from './lines.tsx';

interface WorkViewProps {
  readonly state: WizardState;
  readonly columns: number;
  readonly rows: number;
}

/** What goes on, and what it has told: the link of a login, the code for another device. */
export function WorkView({ state, columns, rows }: WorkViewProps) {
  const { glyphs } = useLook();
  const { step } = state.conversation;
  const doing = step.kind === 'work' ? DOING[step.work.type] : 'Writing the configuration';
  const head = textLines(`${doing}${glyphs.ellipsis}`, columns, 'title');
  // The pattern to photograph must not be broken up: where it does not fit, the link stands alone.
  const told = state.told.filter((line) => !isPattern(line) || fits(state.told, columns, rows));
  const lines = told.flatMap((line) =>
    isPattern(line) ? [[{ text: line }]] : textLines(line, columns),
  );
  return <Lines lines={[...head, ...lines]} rows={rows} />;
}

const DOING: Readonly<Record<Work['type'], string>> = {
  login: 'Logging in',
  'set-up': 'Asking the service',
  'read-import': 'Reading the configuration of rclone',
};

/** A row of a QR code. */
function isPattern(line: string): boolean {
  return /[▀▄█]/.test(line);
}

function fits(told: readonly string[], columns: number, rows: number): boolean {
  const pattern = told.filter(isPattern);
  return told.length + 1 <= rows && Math.max(...pattern.map((line) => line.length)) <= columns;
}
