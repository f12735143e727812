import { Box } from 'ink';
import type { HooksModel } from '../../src/hooks/screen/hooks-model.ts';
import { KeyHelp } from '../shared/key-help.tsx';
import { useLook } from '../shared/look-context.tsx';
import { Page, pageRows } from '../shared/page.tsx';
import { Row } from '../shared/row.tsx';
import type { ViewProps } from '../shared/screen-root.tsx';

/** The screen of a hook server: its hooks, their runs, or one run. */
export function HooksView({ model, size }: ViewProps<HooksModel>) {
  const look = useLook();
  const { subject, aside, lines, status, hints, showsKeys } = model.frame(size, look);
  const rows = pageRows(size, status !== undefined);
  return (
    <Page size={size} title="hooks" subject={subject} aside={aside} status={status} hints={hints}>
      {showsKeys ? (
        <KeyHelp hints={hints} first={0} columns={size.columns} rows={rows} />
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
