import { harmless } from '../../src/core/harmless.ts';
import { counted, figure } from '../../src/kit/counted.ts';
import { type ReviewState, reviewKeys } from '../../src/review/review-keys.ts';
import { nameOf, nodeLine, sureText, totalsText, WIDE } from '../../src/review/review-lines.ts';
import type { ReviewModel } from '../../src/review/review-model.ts';
import { cellWidth, cut, wrap } from '../../src/screen/cells.ts';
import type { Look } from '../../src/screen/look.ts';
import { POINTER_COLUMNS, pointed } from '../../src/screen/pointed.ts';
import { type Line, span } from '../../src/screen/span.ts';
import { KeyHelp } from '../shared/key-help.tsx';
import { Lines } from '../shared/lines.tsx';
import { useLook } from '../shared/look-context.tsx';
import { Page, pageRows } from '../shared/page.tsx';
import { Row } from '../shared/row.tsx';
import type { ViewProps } from '../shared/screen-root.tsx';
import { TextField } from '../shared/text-field.tsx';

/** The plan of a run as a tree, before anything happens. */
export function ReviewView({ model, size }: ViewProps<ReviewModel>) {
  const look = useLook();
  const { state } = model;
  const { contents, mode, tree, filter, lines, cursor } = state;
  const { chosen, shown } = tree.root;
  const all = contents.plan.size;
  const aside = `${chosen.changes === all ? '' : `${figure(chosen.changes)} of `}${counted(all, 'change')}`;
  const isTyping = mode === 'filter';
  const question = mode === 'sure' ? wrap(sureText(chosen), size.columns) : [];
  const rows = Math.max(1, pageRows(size, true) - (isTyping ? 1 : 0) - question.length);
  const first = Math.max(state.first, cursor - rows + 1);
  return (
    <Page
      size={size}
      title={contents.title}
      subject={harmless(contents.subject)}
      aside={aside}
      status={statusLine(state, size.columns, look)}
      hints={reviewKeys(mode, contents)}
    >
      {mode === 'help' ? (
        <KeyHelp
          hints={reviewKeys('browse', contents)}
          first={0}
          columns={size.columns}
          rows={rows}
        />
      ) : (
        <Lines
          lines={lines.slice(first, first + rows).map((node, at) => {
            const line = nodeLine(node, tree.kinds, size.columns - POINTER_COLUMNS, look.glyphs);
            return pointed(line, first + at === cursor, look.glyphs);
          })}
          rows={rows}
          cursor={cursor - first}
          columns={size.columns}
        />
      )}
      {shown === 0 && mode !== 'help' ? (
        <Row
          line={[
            span(
              all === 0 ? 'Nothing to do.' : `No change matches the filter "${filter.text}".`,
              'dim',
            ),
          ]}
        />
      ) : null}
      <Lines lines={question.map((text) => [span(text, 'warn', true)])} rows={question.length} />
      {isTyping ? <TextField edited={state.edited} label="filter" columns={size.columns} /> : null}
    </Page>
  );
}

/** What cannot be done, what went wrong, or what is under the cursor; and what `a` would do. */
function statusLine(
  { contents, notice, tree, lines, cursor, filter }: ReviewState,
  columns: number,
  { glyphs }: Look,
): Line {
  const { chosen } = tree.root;
  if (notice !== '') return [span(cut(notice, columns, glyphs.ellipsis), 'warn', true)];
  const [problem] = contents.problems;
  if (problem !== undefined && cursor === 0) {
    const more =
      contents.problems.length > 1 ? ` (and ${figure(contents.problems.length - 1)} more)` : '';
    return [span(cut(`! ${harmless(problem)}${more}`, columns, glyphs.ellipsis), 'bad')];
  }
  const does = `${contents.saves === true ? 'save' : 'a'}: ${totalsText(chosen, glyphs.separator)}`;
  const narrowed = filter.deletionsOnly
    ? 'deletes only '
    : filter.text === ''
      ? ''
      : `"${filter.text}" `;
  const node = lines[cursor];
  const reason =
    node?.change === undefined ? '' : `${nameOf(node)}: ${harmless(node.change.reason)}`;
  const isNarrow = columns < WIDE;
  if (isNarrow && reason !== '') return [span(cut(reason, columns, glyphs.ellipsis), 'dim')];
  const head = cut(`${narrowed}${does}`, columns, glyphs.ellipsis);
  const room = columns - cellWidth(head) - 3;
  return [
    span(head, 'accent', true),
    span(room > 12 && reason !== '' ? `   ${cut(reason, room, glyphs.ellipsis)}` : '', 'dim'),
  ];
}
