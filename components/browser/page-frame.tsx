import { createContext, useContext } from 'react';
import { harmless } from '../../src/core/shown-text.ts';
import { cellWidth, cutLeft, fitLine } from '../../src/terminal/cells.ts';
import { Page, type PageProps } from '../ui/page.tsx';
import { useLook, useScreen } from '../ui/screen.tsx';
import type { Browser } from './browser.ts';
import type { BrowserPage } from './page.ts';
import { statusLine } from './status-line.ts';

/** Gives the page below what stands around it: the page whose dialog is over it, and which of two sides it is. */
export const AroundContext = createContext<{
  readonly over?: BrowserPage | undefined;
  readonly side?: 'left' | 'right' | undefined;
}>({});

/** What stands around a page. */
export interface PageFrameProps extends Omit<PageProps, 'hints'> {
  readonly page: BrowserPage;
  /** A path as the subject: its end, if there is no room for all of it. */
  readonly path?: string;
  /** Gives the page a status: what the last key did, or `status`, or what its browser does. */
  readonly browser?: Browser;
}

/** What stands around the content of a page: title and keys, and the dialog of the page over it. */
export function PageFrame({ page, path, browser, ...props }: PageFrameProps) {
  const { aside = '', subject = '', status, question } = props;
  const look = useLook();
  const { over, side } = useContext(AroundContext);
  const { columns } = useScreen().size;
  const top = over ?? page;
  const room = columns - cellWidth(aside) - TITLE_COLUMNS;
  const end = cutLeft(harmless(path ?? ''), Math.max(0, room), look.glyphs.ellipsis);
  const isOwn = browser === undefined || (status !== undefined && browser.message === undefined);
  return (
    <Page
      {...props}
      subject={path === undefined ? subject : end}
      aside={side === undefined ? aside : `${side}  ${aside}`}
      status={
        isOwn
          ? status && fitLine(status, columns, look.glyphs.ellipsis)
          : statusLine(browser, columns, look)
      }
      question={over?.dialog?.(look) ?? question}
      hints={() => top.footer?.() ?? top.keys()}
    />
  );
}

/** What stands before the path in the first line, and the blank after it. */
const TITLE_COLUMNS = 'syncer ncdu   '.length;
