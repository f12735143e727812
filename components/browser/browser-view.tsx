import { Box } from 'ink';
import type { BrowserModel } from '../../src/browser/browser-model.ts';
import { useLook } from '../shared/look-context.tsx';
import { Page } from '../shared/page.tsx';
import { Row } from '../shared/row.tsx';
import type { ViewProps } from '../shared/screen-root.tsx';
import { TextField } from '../shared/text-field.tsx';

/** The browser of sizes: the page that lies on top. */
export function BrowserView({ model, size }: ViewProps<BrowserModel>) {
  const look = useLook();
  if (model.state.isBlank) return <Box height={size.rows} />;
  const { subject, aside, lines, field, status, hints } = model.frame(size, look);
  const { columns } = size;
  return (
    <Page size={size} title="ncdu" subject={subject} aside={aside} status={status} hints={hints}>
      <Box flexDirection="column" flexGrow={1}>
        {lines.map(({ line, selected = false }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line of the screen is its place
          <Row key={at} line={line} selected={selected} />
        ))}
      </Box>
      {field === undefined ? null : <TextField {...field} columns={columns} />}
    </Page>
  );
}
