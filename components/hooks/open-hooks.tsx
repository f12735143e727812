import { Box } from 'ink';
import type { ScreenTerminal } from '../../src/screen/screen-terminal.ts';
import type { HooksModel } from '../../src/webhook/screen/hooks-model.ts';
import { KeyHelp } from '../shared/key-help.tsx';
import { useLook } from '../shared/look-context.tsx';
import { Page, pageRows } from '../shared/page.tsx';
import { Row } from '../shared/row.tsx';
import { runScreen } from '../shared/run-screen.tsx';
import type { ViewProps } from '../shared/screen-root.tsx';

/** Shows the hooks of a server until the user leaves. Rejects where the signal is aborted. */
export async function showHooks(model: HooksModel, terminal: ScreenTerminal): Promise<void> {
  await runScreen<void, HooksModel>(model, HooksView, terminal);
}

/** The screen of a hook server: its hooks, their runs, or one run. */
function HooksView({ model, size }: ViewProps<HooksModel>) {
  const look = useLook();
  const { subject, aside, lines, status, hints, help } = model.frame(size, look);
  const rows = pageRows(size, status !== undefined);
  return (
    <Page size={size} title="hooks" subject={subject} aside={aside} status={status} hints={hints}>
      {help !== undefined ? (
        <KeyHelp hints={help} first={0} columns={size.columns} rows={rows} />
      ) : (
        <Box flexDirection="column">
          {lines.map(({ line, selected }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line of the screen is its place
            <Row key={at} line={line} selected={selected} />
          ))}
        </Box>
      )}
    </Page>
  );
}
