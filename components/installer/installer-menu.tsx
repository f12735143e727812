import { MENU_ITEMS } from '../../src/installer-menu/menu-choice.ts';
import { menuKeys } from '../../src/installer-menu/menu-keys.ts';
import type { MenuModel } from '../../src/installer-menu/menu-model.ts';
import { span } from '../../src/screen/span.ts';
import { Menu } from '../shared/menu.tsx';
import { Page, pageRows } from '../shared/page.tsx';
import { Row } from '../shared/row.tsx';
import type { ViewProps } from '../shared/screen-root.tsx';
import { WorkList } from './work-list.tsx';

/** The installer: its menu, then the steps of what was chosen. */
export function InstallerMenu({ model, size }: ViewProps<MenuModel>) {
  const view = model.view();
  const subject = view.at === 'menu' ? 'installer' : view.title;
  const rows = pageRows(size, false);
  return (
    <Page size={size} title="webhook" subject={subject} hints={menuKeys(view)}>
      {view.at === 'menu' ? (
        <>
          <Row line={[span(' ')]} />
          <Menu items={MENU_ITEMS} cursor={view.cursor} columns={size.columns} rows={rows - 1} />
        </>
      ) : (
        <WorkList view={view} columns={size.columns} rows={rows} />
      )}
    </Page>
  );
}
