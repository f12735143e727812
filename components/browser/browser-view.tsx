import { layoutOf } from '../../src/terminal/screen-layout.ts';
import { type ScreenViewProps, useLook, useScreen } from '../ui/screen.tsx';
import type { BrowserModel } from './browser-model.ts';
import type { BrowserPage } from './page.ts';
import { AroundContext, PageFrame } from './page-frame.tsx';
import type { PairModel } from './pair-model.ts';

/** The browser: the page on top of the side with the keys, or both lists where there is room for them. */
export function BrowserView({ model }: ScreenViewProps<PairModel>) {
  const { sides, state: active } = model;
  const look = useLook();
  const { size } = useScreen();
  const { isWide, pane } = layoutOf(size, true, sides.length === 2);
  for (const side of sides) side.comeBack();
  const { pages, list } = sides[active] as BrowserModel;
  const [top, below] = pages.toReversed() as [BrowserPage, BrowserPage | undefined];
  const over = isWide && top.dialog !== undefined ? top : undefined;
  const page = over === undefined ? top : (below ?? top);
  const isPair = sides.length === 2;
  if (isPair && pane > 0 && page === list) {
    const [left, right] = sides.map((side, at) => side.list.half(at === active));
    return (
      <AroundContext value={{ over }}>
        <PageFrame {...list.around(size)} pane={right} active={active === 0 ? 'content' : 'pane'}>
          {left}
        </PageFrame>
      </AroundContext>
    );
  }
  const side = isPair ? (active === 0 ? 'left' : 'right') : undefined;
  return <AroundContext value={{ over, side }}>{page.view(size, look)}</AroundContext>;
}
