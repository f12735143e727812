import { isServer, type RunningSummary } from '../../src/run/presence/running-text.ts';
import { columnWidths, inColumns } from '../../src/terminal/cells.ts';
import { moveCursor, POINTER_COLUMNS } from '../../src/terminal/cursor-list.ts';
import type { Key } from '../../src/terminal/key.ts';
import { CTRL_C, HELP, type KeyRule, keyName, row, ruleOf } from '../../src/terminal/key-table.ts';
import { MOVE, stepOf } from '../../src/terminal/list-keys.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { type ScreenStep, StateScreen, stepTo } from '../../src/terminal/state-screen.ts';
import { Menu } from '../ui/list.tsx';
import { Page } from '../ui/page.tsx';
import { type ScreenViewProps, useLook, useRoom } from '../ui/screen.tsx';
import { runningCells } from './home-list.tsx';

interface RunListState {
  readonly runs: readonly RunningSummary[];
  readonly cursor: number;
}

interface ChosenRun {
  readonly id: string | undefined;
}

type RunListStep = ScreenStep<RunListState, ChosenRun>;

const PAGE = 10;

/** Which of several runs `attach` shows; its result is the id of one, `undefined` where the user left. */
export class RunListModel extends StateScreen<RunListState, ChosenRun, string | undefined> {
  readonly nowMs: number;

  /** @param nowMs the time, in milliseconds since the epoch */
  constructor(runs: readonly RunningSummary[], nowMs: number) {
    super({ runs, cursor: 0 });
    this.nowMs = nowMs;
  }

  keys(): readonly KeyRule<(state: RunListState, name: string) => RunListStep>[] {
    const attach = (state: RunListState) => stepTo(state, { id: state.runs[state.cursor]?.id });
    return [
      row('Enter', 'attach', 'show the run at the cursor; also → and l', attach, { also: '→ l' }),
      {
        ...MOVE,
        run: (state, name) => {
          const cursor = moveCursor(state.cursor, stepOf(name, PAGE), state.runs.length);
          return stepTo({ ...state, cursor });
        },
      },
      row('q', 'quit', 'quit; also Esc', (state) => stepTo(state, { id: undefined }), {
        also: 'Esc',
      }),
      HELP,
      CTRL_C,
    ];
  }

  protected override takeKey(key: Key): RunListStep {
    return ruleOf(this.keys(), key)?.run(this.state, keyName(key)) ?? stepTo(this.state);
  }

  protected override carryOut({ id }: ChosenRun): void {
    this.ended.resolve(id);
  }
}

/** The list of runs, as on the home screen. */
export function RunListView({ model }: ScreenViewProps<RunListModel>) {
  const { runs } = model.state;
  return (
    <Page subject="Which run?" aside={`${runs.length} running`}>
      <Runs model={model} />
    </Page>
  );
}

function Runs({ model: { state, nowMs } }: { readonly model: RunListModel }) {
  const { glyphs } = useLook();
  const room = useRoom();
  const columns = room.columns - POINTER_COLUMNS;
  const cells = state.runs.map((run): readonly Line[] => {
    const tone = isServer(run) ? 'dim' : 'plain';
    const [shown = [], line = [], left = []] = runningCells(run, { glyphs, nowMs, columns });
    return [shown, line.map(({ text }) => span(text, tone)), left];
  });
  const widths = columnWidths(cells, columns);
  return (
    <Menu
      items={cells}
      cursor={state.cursor}
      opens
      lineOf={(line) => inColumns(line, widths, glyphs.ellipsis)}
    />
  );
}
