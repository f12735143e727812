import { footerLine } from '../../src/screen/footer-line.ts';
import type { KeyHint } from '../../src/screen/key-table.ts';
import { useLook } from './look-context.tsx';
import { Row } from './row.tsx';

interface FooterProps {
  /** The keys that work now, the most important first. */
  readonly hints: readonly KeyHint[];
  readonly columns: number;
}

/** The last line of every screen: the keys that work now, as many as fit; `?` shows all of them. */
export function Footer({ hints, columns }: FooterProps) {
  const { glyphs } = useLook();
  return <Row line={footerLine(hints, columns, glyphs)} />;
}
